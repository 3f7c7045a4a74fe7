package link

import (
	"errors"
	"os"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/pressure"
)

// note writes what became of a link into the file of the gpuci that watches
// the build. A link is not given up for a line that could not be written.
func (c Call) note(plan shim.Plan, outcome string, t *buildlock.Ticket, in pressure.Admitted) {
	e := buildlock.LinkEvent{Outcome: outcome, Ticket: t.ID, Waited: t.Waited, Held: in.Held, Under: in.Under}
	if in.Unknown != nil {
		e.Blind = in.Unknown.Error()
	}
	c.write(plan, e)
}

// noteFailure does the same for a link that had no ticket in dir.
func (c Call) noteFailure(plan shim.Plan, dir string, err error) {
	e := buildlock.LinkEvent{Outcome: buildlock.Failed, Error: err.Error(), Remedy: buildlock.Remedy(err, dir)}
	var late *buildlock.BusyError
	var voided *buildlock.VoidedError
	switch {
	case errors.As(err, &late):
		e.Outcome, e.Waited = buildlock.TimedOut, late.Line.Waited
	case errors.As(err, &voided):
		e.Waited = voided.Waited
	}
	c.write(plan, e)
}

func (c Call) write(plan shim.Plan, e buildlock.LinkEvent) {
	path, ok := shim.Lookup(c.Env, shim.LogVar)
	if !ok || path == "" {
		return
	}
	e.Time, e.Tool, e.Role, e.PID = time.Now(), plan.Tool, plan.Role.String(), os.Getpid()
	e.What = buildlock.Clip(described(plan))
	_ = e.Append(path)
}
