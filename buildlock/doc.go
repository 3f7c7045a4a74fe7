// Package buildlock lets one link at a time run on the whole machine, whoever
// starts it and whatever build system it comes from: numbered tickets in a
// directory that every user reaches, each held by a file lock. The queue is the
// lock.
//
// It promises: never more than the machine's number of live tickets are granted
// at once; tickets are granted in the order of their numbers (with N slots nobody
// goes past more than N-1 that still wait: one that is slow to wake up has its
// slot waiting for it while others use theirs); whoever is killed, in line or at the
// front, gives up the place by dying; a slot lives as long as any process that
// inherited the ticket's file, so a linker whose whole ancestry was killed still
// has it. What cannot be had safely is an error, and nobody runs unlocked.
//
// It does not promise: exclusion when somebody deletes the directory under a
// holder (the waiters queue again and say so); that a holder is making progress
// (a stopped one is said to be stopped, and [Void] is the way out); fairness
// between users. A program that closes every descriptor it inherits gives up
// the slot as soon as its parents end.
//
// A card has a lock of its own, by its UUID, and [AcquireCards] takes as many of
// several as are wanted, all at once. A person can reserve a card besides
// ([Reserve]): that locks nothing, and is for gates to ask about. A file of a
// reservation that cannot be understood reserves its card all the same.
//
// How a ticket is made, under a short lock on the file gate, is what makes it
// right: the number comes from a counter and never recurs; the file is made
// under a passing name, locked, and only then renamed to its number, so nobody
// ever sees a ticket that is not locked.
package buildlock
