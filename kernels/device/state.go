package device

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// evidence names who has the device file open and is in none of the lists.
func (j *judging) evidence(s *Seen) {
	match := j.deviceFile(s.Minor)
	for _, o := range j.open {
		listed := func(p Process) bool { return p.PID == o.pid }
		if !slices.ContainsFunc(o.files, match) || slices.ContainsFunc(s.Foreign, listed) || slices.ContainsFunc(s.Own, listed) {
			continue
		}
		if j.mine(o.pid) || j.isHarmless(o) {
			continue
		}
		s.Evidence = append(s.Evidence, fmt.Sprintf("pid %d (%s) has the card's device file open, and the driver does not list it", o.pid, o.name))
	}
	for _, p := range s.Own {
		if !p.Memory.Known {
			s.Evidence = append(s.Evidence, fmt.Sprintf("the driver does not tell the memory of pid %d", p.PID))
		}
	}
}

// opened says whether the evidence is of somebody who has the file open.
func (s Seen) opened() bool {
	return slices.ContainsFunc(s.Evidence, func(e string) bool { return strings.Contains(e, "device file open") })
}

// state is the judgement, and the line that says why.
func (j *judging) state(s *Seen, errs map[string]string) (State, string) {
	if i := slices.IndexFunc(s.Foreign, func(p Process) bool { return p.Valid }); i >= 0 {
		return Busy, crowd(s.Foreign, i)
	}
	if why := unlisted(errs); why != "" {
		return Unknown, why
	}
	switch {
	case len(s.Foreign) > 0:
		p := s.Foreign[0]
		if s.onlyGone() {
			s.cause = causeGone
		}
		return Unknown, fmt.Sprintf("the driver lists pid %d%s: %s", p.PID, with(p.Memory), p.Why)
	case s.UUID == "":
		return Unknown, "the driver does not tell its UUID"
	case !s.Used.Known:
		return Unknown, "the driver does not tell how much of its memory is in use"
	case s.Unowned.Or(0) > Allowance:
		s.cause = causeMemory
		return Unknown, Size(s.Unowned.Value) + " of its memory are in use and no process that the driver lists has them"
	case len(s.Own) == 0 && s.opened() && (s.Sample.Util.Or(0) > 0 || s.Unowned.Or(0) > Allowance/4):
		s.cause = causeHidden
		return Unknown, "it is in use and no process is listed; " + s.Evidence[0]
	case len(s.Own) > 0:
		return Quiet, "nobody is on it but us"
	}
	return Quiet, "nobody is on it"
}

// unlisted says why the lists do not tell who is there. Not every card has graphics
// or MPS; one that does not list what computes tells nothing.
func unlisted(errs map[string]string) string {
	for _, what := range []string{"handle", "compute", "graphics", "mps", "mig", "instances"} {
		err := errs[what]
		if err == "" || err == unsupported && what != "compute" && what != "handle" {
			continue
		}
		if what == "handle" || what == "mig" || what == "instances" {
			return fmt.Sprintf("the driver does not tell what it is (%s: %s)", what, err)
		}
		return fmt.Sprintf("the driver does not list its %s processes: %s", what, err)
	}
	return ""
}

// crowd names one that is on a card, and counts the rest.
func crowd(list []Process, first int) string {
	text := list[first].String()
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// String names a process for people: "pid 4711 (alice, 8.0 GiB, since 14:02): python train.py".
func (p Process) String() string {
	var facts []string
	if p.User != "" {
		facts = append(facts, p.User)
	}
	if p.Memory.Known {
		facts = append(facts, Size(p.Memory.Value))
	}
	if !p.Since.IsZero() {
		layout := "since 15:04"
		if time.Since(p.Since) > 20*time.Hour {
			layout = "since 2 Jan 15:04"
		}
		facts = append(facts, p.Since.Format(layout))
	}
	text := fmt.Sprintf("pid %d", p.PID)
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	if p.Command != "" {
		text += ": " + p.Command
	}
	return text
}

func with(m Reading) string {
	if !m.Known {
		return ""
	}
	return " (" + Size(m.Value) + ")"
}

// Size is a number of bytes for people: "615 MiB", "8.0 GiB".
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// onlyGone says whether all that are foreign may have just died.
func (s Seen) onlyGone() bool {
	return !slices.ContainsFunc(s.Foreign, func(p Process) bool { return p.Why != whyGone })
}
