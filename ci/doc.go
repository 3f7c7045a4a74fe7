// Package ci runs gates over many lanes while nobody watches: a night over all of
// them, and landings.
//
// # A night
//
// [Run] takes the commits at which the lanes stand, once, and runs their gates in
// scratch lanes at those commits, one after the other. What it promises:
//
//   - No lane is written to. What is committed, moved, removed or broken in one
//     meanwhile changes nothing of what its gates are run on, and stops none of the
//     others.
//   - What was judged before on the same content, with the same settings and the
//     same tools, is not run again; its outcome stands. Lanes with the same content
//     share one run.
//   - What lanes owe for the commits that they are at ([gates.Debt]) is run before all
//     else, the oldest first; the report says what is paid and what is owed still.
//   - Everything that is decided is in a journal, on the disk, before the night goes
//     on. After a crash [Options.Resume] goes on with the commits of that night.
//   - It ends. Nothing is started that would usually not be done by the end that was
//     asked for, and what still runs then is ended as a signal would.
//
// What it does not: run gates side by side, or share build products between
// different contents. A binary that another lane left in a target directory is what
// a night is to find, not to make.
package ci
