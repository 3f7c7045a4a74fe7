// Package falsify shows whether a gate can be red: it plants the faults that the
// gate declares, one after the other, in a scratch lane of the exact state, and has
// the gate judge each.
//
// What it promises: the lane is read and never written to, whatever ends us; one
// scratch lane and one target directory serve all faults of a gate, and between two
// of them every file is restored, proved by reading, with a new time where it was
// changed and with its own where it was not; a trial is run and supervised as any
// run of the gate is, and is none of its outcomes.
//
// A fault is caught where the gate goes red by what the fault names, and by the
// margin that it names. A gate that is red for another reason is blind to it: it
// would be red for that other reason only where that happens to come along.
//
// Nor is one caught that is red by what an earlier one left, or by chance: see check.go
// for how far that is told. A run without a fault is the first and the last; what
// shows a fault must do so twice; and where times do not tell a build tool what has
// changed, the next build begins from nothing.
//
// What it does not: keep the commands of a fault in the scratch lane. They run with
// the rights of whoever wrote them down. What git ignores is in no scratch lane, and
// is not restored, but removed where it cannot be trusted.
package falsify
