package pressure

import "time"

// Point is one step of a timeline: what was waited in about a second.
type Point struct {
	Time    time.Time     // its end
	Length  time.Duration // of the step
	CPU     Shares        // of the machine
	IO      Shares
	Memory  Shares
	OwnIO   Shares // of the command's own cgroup; unknown without one
	OwnCPU  Share  // of the machine's processors, used by the command
	Busy    Share  // of the machine's processors, used by anything
	Waiting bool   // the command was not at work: it waited for a lock or for pressure to fall
}

// Timeline is the pressure during a run, oldest first.
type Timeline []Point
