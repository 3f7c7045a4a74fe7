// Package ab compares arms of a gate with a base: is one faster, by more than the noise,
// and may it become the default. A bar with source = "ab" has a gate do so (Holder).
//
// An arm is a tree (a commit, a lane, or this lane as it is) with what is otherwise in
// it: environment, arguments, an edit of a file. Each is built in two scratch lanes, and
// must be green in both by the gate's own rules before anything is timed. Then the gate's
// run is repeated in turn, A B B A, each time as a fresh process, a block of them with one
// seed in GPUCI_SEED and each in another lane, through the same pipeline as any run of the
// gate: the same supervision, the same look at the pressure and at the card. Of several
// arms each has blocks of its own with the base, and they take turns.
//
// What it promises: no lane's file is written; a sample that was taken beside somebody
// on the card, on a card that was slowed, or while the disk stood still because of
// somebody else counts for nothing and is taken again; an arm whose output is wrong by
// the gate's own rules is never timed; each sample is on the disk before the next one
// begins, so that a comparison that was killed loses at most the one that ran; a run finds
// nothing in the tree that one before it has left there, nor in what git ignores unless the
// answer is marked, and for its seed nothing anywhere in its lane; what arms run outside of
// their lanes is not what was built of another one.
//
// What it does not: make a program read GPUCI_SEED. Whether the inputs of two blocks
// differ is the program's to do; whether its output is right is judged in every
// repetition, after it gave its times, by the gate's own bars and witnesses. The
// statistics are those of package judge.
package ab
