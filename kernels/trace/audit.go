package trace

import (
	"cmp"
	"slices"
	"strings"
)

// Audit is what was done while streams were captured into graphs. It tells what was seen;
// what of it is a mistake depends on the mode of the capture and on the program.
type Audit struct {
	Captures int64            `json:"captures,omitempty"` // that were begun
	Broken   int64            `json:"broken,omitempty"`   // whose end gave an error
	Kernels  []CapturedKernel `json:"kernels,omitempty"`
	Mixed    []CapturedKernel `json:"also-eager,omitempty"`     // of these, launched outside of captures as well
	During   []During         `json:"while-captured,omitempty"` // calls while a capture was open
	kernels  *capturing
}

// During is a call while a capture was open that a capture does not allow, or that is not
// in it.
type During struct {
	Call   string `json:"call"`
	What   string `json:"what"`       // "allocation", "wait", "default-stream launch"
	Own    bool   `json:"own-thread"` // a thread made it that had begun a capture; not one beside it
	N      int64  `json:"n"`
	Failed int64  `json:"failed,omitempty"`
}

// auditor looks at captures.
type auditor struct {
	Audit
	open   []*opened
	during map[during]*During
}

type opened struct {
	stream uint64
	thread int
	seen   map[uint32]int64 // launches by kernel
}

type during struct {
	call uint32
	what string
	own  bool
}

func newAuditor(n *Names) *auditor {
	return &auditor{Audit: Audit{kernels: newCapturing(n)}, during: map[during]*During{}}
}

func (a *auditor) take(e *Event, is call) {
	if e.Kind == Capture {
		a.bound(e, is)
		return
	}
	if e.Kind == Launch && e.Flags&(Captured|Failed) == Captured {
		a.kernels.launched(e, a.into(e))
		return
	}
	if e.Kind == Instantiate && e.Flags&Failed == 0 {
		a.kernels.ready(e)
	}
	if len(a.open) > 0 && e.Flags&Captured == 0 {
		a.beside(e, is)
	}
}

func (a *auditor) bound(e *Event, is call) {
	failed := e.Flags&Failed != 0
	switch {
	case is.begins && !failed:
		a.Captures++
		a.open = append(a.open, &opened{e.Value, e.Thread, map[uint32]int64{}})
	case !is.begins: // an end that fails ends it too
		if failed {
			a.Broken++
		}
		for _, o := range a.open {
			if o.stream == e.Value && !failed {
				a.kernels.ended(o, e.Other)
			}
		}
		a.open = slices.DeleteFunc(a.open, func(o *opened) bool { return o.stream == e.Value })
	}
}

// into is the capture that a launch went into: its stream's, else the last one of its
// thread, as a stream that has joined one has another name; nil where none is known.
func (a *auditor) into(e *Event) *opened {
	var own *opened
	for _, o := range a.open {
		switch {
		case o.stream == e.Value:
			return o
		case o.thread == e.Thread:
			own = o
		}
	}
	if own == nil && len(a.open) > 0 {
		return a.open[len(a.open)-1]
	}
	return own
}

// beside notes what stands out of what was asked for while a capture was open.
func (a *auditor) beside(e *Event, is call) {
	k := during{call: e.Name}
	switch {
	case e.Kind == Alloc:
		k.what = "allocation"
	case is.waits || e.Kind == Sync:
		k.what = "wait"
	case e.Kind == Launch && e.Value <= 1: // NULL and CU_STREAM_LEGACY
		k.call, k.what = 0, "default-stream launch"
	default:
		return
	}
	k.own = slices.ContainsFunc(a.open, func(o *opened) bool { return o.thread == e.Thread })
	d := a.during[k]
	if d == nil {
		d = &During{What: k.what, Own: k.own}
		a.during[k] = d
	}
	d.N++
	if e.Flags&Failed != 0 {
		d.Failed++
	}
}

func (a *auditor) audit(n *Names) Audit {
	for k, d := range a.during {
		d.Call = cmp.Or(n.Calls[k.call], "cuLaunchKernel")
		a.During = append(a.During, *d)
	}
	slices.SortFunc(a.During, func(x, y During) int {
		return cmp.Or(cmp.Compare(y.N, x.N), strings.Compare(x.Call, y.Call), cmp.Compare(count(x.Own), count(y.Own)))
	})
	return a.Audit
}

// with adds the kernels that were captured, and finds those that were launched outside of
// captures as well.
func (a Audit) with(s *Summary) Audit {
	a.Kernels = a.kernels.list(s)
	for _, k := range a.Kernels {
		if k.Eager > 0 {
			a.Mixed = append(a.Mixed, k)
		}
	}
	slices.SortStableFunc(a.Mixed, func(x, y CapturedKernel) int { return cmp.Compare(y.Eager, x.Eager) })
	return a
}
