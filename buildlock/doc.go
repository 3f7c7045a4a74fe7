// Package buildlock will let one link at a time run on the whole machine:
// numbered tickets, each held by a file lock, whose order is the queue.
//
// Nothing of it is in this version. A gate's record says so: its step "queue"
// is absent.
package buildlock
