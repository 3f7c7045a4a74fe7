package verify

import (
	"strings"

	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

// launched counts launches, as the backend's own launch function did.
type launched struct {
	runs     int // of jobs
	forward  int // of the fused path
	backward int
	ops      int // of the ops path, whatever the phase
}

// opsPrefix begins the names of the kernels of the ops path.
const opsPrefix = "ops_"

func (l *launched) add(r launch.Result) {
	l.runs++
	for _, c := range r.Launches {
		switch {
		case strings.HasPrefix(c.Kernel, opsPrefix):
			l.ops += c.Times
		case c.Phase == fused.Forward:
			l.forward += c.Times
		default: // what belongs to no phase is one too many for the backward
			l.backward += c.Times
		}
	}
}

func (l *launched) sum(o launched) {
	l.runs, l.forward, l.backward, l.ops = l.runs+o.runs, l.forward+o.forward, l.backward+o.backward, l.ops+o.ops
}

// path names the path whose kernels were launched.
func (l *launched) path() string {
	switch own := l.forward+l.backward > 0; {
	case own && l.ops > 0:
		return "mixed"
	case own:
		return "fused"
	case l.ops > 0:
		return "ops"
	}
	return "none"
}

// counters are for the witness line.
func (l *launched) counters() []Counter {
	return []Counter{
		{"path", l.path()}, counter("runs", l.runs),
		counter("forward-launches", l.forward), counter("backward-launches", l.backward), counter("ops-launches", l.ops),
	}
}
