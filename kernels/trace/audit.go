package trace

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Audit is what was done while streams were captured into graphs. It tells what was seen;
// what of it is a mistake depends on the mode of the capture and on the program.
type Audit struct {
	Captures int64    `json:"captures,omitempty"`       // that were begun
	Broken   int64    `json:"broken,omitempty"`         // whose end gave an error
	Mixed    []Mixed  `json:"also-eager,omitempty"`     // kernels that were captured, and launched outside of captures as well
	During   []During `json:"while-captured,omitempty"` // calls while a capture was open
	captured map[uint32]*inCapture
}

// Mixed is a kernel that was captured, and launched as well.
type Mixed struct {
	Name     string `json:"name"`
	Symbol   string `json:"symbol"`
	Captured int64  `json:"captured"` // launches, all captures together
	Captures int64  `json:"captures"` // in how many it was
	Eager    int64  `json:"eager"`    // launches that ran at once
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
	open   []opened
	during map[during]*During
}

type opened struct {
	stream uint64
	thread int
}

type during struct {
	call uint32
	what string
	own  bool
}

type inCapture struct{ launches, captures, last int64 }

func newAuditor() *auditor {
	return &auditor{Audit: Audit{captured: map[uint32]*inCapture{}}, during: map[during]*During{}}
}

func (a *auditor) take(e *Event, is call) {
	if e.Kind == Capture {
		a.bound(e, is)
		return
	}
	if e.Kind == Launch && e.Flags&(Captured|Failed) == Captured {
		a.launched(e)
		return
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
		a.open = append(a.open, opened{e.Value, e.Thread})
	case !is.begins: // an end that fails ends it too
		if failed {
			a.Broken++
		}
		a.open = slices.DeleteFunc(a.open, func(o opened) bool { return o.stream == e.Value })
	}
}

func (a *auditor) launched(e *Event) {
	k := a.captured[e.Name]
	if k == nil {
		k = &inCapture{}
		a.captured[e.Name] = k
	}
	k.launches++
	if k.last != a.Captures {
		k.captures, k.last = k.captures+1, a.Captures
	}
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
	k.own = slices.ContainsFunc(a.open, func(o opened) bool { return o.thread == e.Thread })
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

// with finds the kernels that were launched outside of captures as well, by symbol: the
// shape may be another.
func (a Audit) with(s *Summary) Audit {
	by := map[string]*Mixed{}
	for id, c := range a.captured {
		k := s.Names.Kernels[id]
		if by[k.Symbol] == nil {
			by[k.Symbol] = &Mixed{Name: cmp.Or(k.Name, unnamed), Symbol: k.Symbol}
		}
		by[k.Symbol].Captured += c.launches
		by[k.Symbol].Captures = max(by[k.Symbol].Captures, c.captures)
	}
	for id, c := range s.Kernels {
		if m := by[s.Names.Kernels[id].Symbol]; m != nil {
			m.Eager += c.N
		}
	}
	for _, symbol := range slices.Sorted(maps.Keys(by)) {
		if by[symbol].Eager > 0 {
			a.Mixed = append(a.Mixed, *by[symbol])
		}
	}
	slices.SortStableFunc(a.Mixed, func(x, y Mixed) int { return cmp.Compare(y.Eager, x.Eager) })
	return a
}
