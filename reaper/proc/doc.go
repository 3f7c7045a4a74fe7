// Package proc reads what the kernel says about processes and starts the ones
// a gate runs so that none of them outlives it.
//
// It promises: an identity that a reused pid cannot carry (pid, start ticks,
// boot id); a signal is sent only to a process whose identity was read again
// after a pidfd on it was open; after Stop returns, everything the command
// started is gone or named in the answer.
//
// It does not decide anything: which process is leaked, whose it is and
// whether it may be ended is the business of the packages above. What it does
// not do yet: cgroup leaves, and finding again what is left when gpuci itself
// was killed. Supervision here is a session of its own for the child and
// PR_SET_CHILD_SUBREAPER for ourselves: a process that leaves its session,
// clears its environment and loses its parent is still handed to us by the
// kernel, unless a subreaper of its own stands in between.
package proc
