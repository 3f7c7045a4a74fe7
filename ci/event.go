package ci

import (
	"fmt"

	"gpuci/ci/executor"
)

// Event is what is newly known of a gate that an executor has.
type Event struct {
	Lane, Gate string
	Status     executor.Status
	Out        int // tasks that are with it, all in all
	Left       int // gates that are still to be handed over
}

// String is the event as a line: who, what, why or where, and the number of its job.
func (e Event) String() string {
	text := fmt.Sprintf("%s %s: %s", e.Lane, e.Gate, e.Status.Phase)
	switch {
	case e.Status.Phase == executor.Pending && e.Status.Why != "":
		text += " (" + e.Status.Why + ")"
	case e.Status.Phase == executor.Running && e.Status.Where != "":
		text += " on " + e.Status.Where
	}
	if e.Status.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", e.Status.Attempt)
	}
	if e.Status.ID != "" {
		text += ", job " + e.Status.ID
	}
	return text
}
