package spool

// Exit codes of `gpuci ci task` where it has no result. One that has exits as the verdict
// does (0 for green), or as what else the result says, and the result says with what.
const (
	ExitIdle        = 75  // another job has claimed the task, or it was withdrawn: nothing was run
	ExitUndelivered = 69  // the place cannot be read or written, or the order is none
	ExitStopped     = 143 // by SIGTERM; 130 by SIGINT
)
