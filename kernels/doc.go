// Package kernels compiles the device code of a workspace and says whether it is
// what its hosts, its sources and its owners take it for, without a GPU.
//
// A [Set] is plain data: what is compiled how, which files are committed, which
// sources load them, and what must be true. [Build] compiles it, [Existing] takes
// what lies there, [Check] holds it all against each other, [Look] reads files that
// anybody made, and [Diff] compares two states.
//
// It promises that whatever could not be read is said in a finding: a set that is
// green was looked at whole. It starts nothing by itself: [Options.Exec] does.
//
// Beside the rules of package check it has these; those marked with * are notes:
//
//	module-unread     device code that cannot be read, or a part of it
//	module-missing    an output that was not built, where nothing was to be compiled
//	prebuilt-missing  a pattern that finds no file
//	prebuilt-source*  a committed file that no source of the set makes
//	prebuilt-unbuilt* one whose source the set does not compile for that architecture
//	host-missing      a pattern of host sources that finds none
//	host-unread       a host source that is there and cannot be read
//	accept-unmatched* somebody has accepted what is not there
//	host-unclear*     a place in one that loads, looks up or launches, and is not followed
package kernels
