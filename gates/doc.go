// Package gates runs one gate in one lane and says what came of it.
//
// A gate is a named check of a workspace: build, run, measure, judge. Run
// walks a fixed pipeline (sweep, pressure, queue, machine, kernels, build, quiet, card,
// run, judge) and returns a Verdict bound to the commit, the uncommitted changes, the build
// products and the tools. It promises: a green gate ran at least the tests it must,
// its command succeeded, and every number it names was read, is finite and is
// within its limits (of a partial one: every number that was printed); the
// child's whole output is on disk; nothing that the gate started is alive when
// Run returns, or it is named in the verdict.
//
// A gate that needs a card gets it after its build, alone on this machine by a lock
// that lasts as long as anything of it lives; it is refused where somebody is on the
// card or that cannot be told, and its run does not stand where somebody came on it
// meanwhile, unless its numbers do not mind (share-gpu). Who is on a card is asked ten
// times a second: a stranger that comes and goes in between, and of which the driver
// keeps no sample, is not seen. What was refused for something that passes is Owed.
//
// What a gate with [gate.trace] asks of CUDA is counted by package kernels/trace, and its
// numbers are judged as those that are printed; one that was not counted is Broken.
//
// From a bundle (Options.Bundle) a gate is run without a lane and without its build: the
// step bundle comes first, and nothing runs of one that is not as it was packed.
//
// The package does not print and does not choose which gates run.
package gates
