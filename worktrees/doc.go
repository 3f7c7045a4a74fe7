// Package worktrees says which lane a directory belongs to and which state
// that lane is in: the commit, and a hash over everything that differs from it.
// Survey says it of all lanes of a repository, with how each stands to its base.
//
// Three things it writes, all of them only where they are asked for: a scratch
// lane (NewScratch) beside the lanes, the commits of a lane upon another base
// (Replay) in such a scratch lane, and a branch moved forward (Forward), which
// takes git's own lock in the lane that has it out.
//
// Of everything else it promises to leave a lane as it found it: no lock of
// git's is taken, no file is written, no hook, fsmonitor daemon or pager runs,
// and the only program started is git, reading. A filter such as LFS's runs only where git
// itself needs it to say whether a suspicious file is modified; the hash is
// made from the bytes on disk.
//
// ReadState is quick on a clean lane. It proves cleanness from the index and
// one parallel look at the tree, and asks git only about the paths it could
// not clear. Where the proof does not apply (a split or sparse index, SHA-256
// object names, an unborn branch) git answers for the whole tree. The proof
// errs on one side only: where it says clean, git says clean.
//
// What it does not do: freeze the tree. A file that changes while its lane is
// being read appears as it was before or as it is after.
package worktrees
