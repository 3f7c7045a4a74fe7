// Package ci runs gates over many lanes while nobody watches: a night over all of
// them, and landings.
//
// # A night
//
// [Run] takes the commits at which the lanes stand, once, and has their gates run at
// those commits by an executor: here, in scratch lanes, one after the other (package
// local), or on other machines, several at once (package slurm). What it promises:
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
//   - What is handed to other machines has a name that is in the journal before. Whatever
//     kills a night, its jobs are found by that: by Resume, by [Cancel], or by the next
//     night, which ends them.
//
// What it does not: run gates side by side on this machine, or share build products between
// different contents. A binary that another lane left in a target directory is what
// a night is to find, not to make.
package ci
