package link

import (
	"os"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// note writes what became of a link into the file of the gpuci that watches
// the build. A link is not given up for a line that could not be written.
func (c Call) note(plan shim.Plan, outcome string, t *buildlock.Ticket, cause error) {
	path, ok := shim.Lookup(c.Env, shim.LogVar)
	if !ok || path == "" {
		return
	}
	e := buildlock.LinkEvent{Time: time.Now(), Tool: plan.Tool, Role: plan.Role.String(), PID: os.Getpid(), Outcome: outcome}
	if t != nil {
		e.Ticket, e.Waited = t.ID, t.Waited
	}
	if cause != nil {
		e.Error = cause.Error()
	}
	_ = e.Append(path)
}
