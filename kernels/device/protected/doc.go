// Package protected finds the runs that a machine's configuration protects,
// [[protect]], and says when they will be over by what they write in their logs.
//
// It promises: every rule counts, also where two runs are on one card; a rule
// whose processes could not be looked at is named as unknown, and never passes
// for one that found nothing; a time is given only with its basis, and none when
// the log says nothing new, went back, or does not tell the total. It reads, and
// writes only its own small file of what it saw before.
//
// Another gpuci is no run, whatever its arguments say: what it runs is looked at
// itself.
//
// It does not promise that the time is right: it is a straight line through what
// was seen. It knows no cards: who asks says which processes are on which.
package protected
