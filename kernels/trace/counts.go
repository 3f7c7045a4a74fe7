package trace

import "strings"

// Quantity is something that is counted, step by step. Its name is its key in JSON.
type Quantity int

// The quantities. What was captured into a graph was not run, and is Captures alone; a
// call that gave an error is Failures alone.
const (
	Launches Quantity = iota
	GraphLaunches
	GraphKernels // kernel nodes of the graphs that were launched
	Copies
	CopiedHtoD // bytes
	CopiedDtoH
	CopiedDtoD
	CopiedUnified // cuMemcpy and cuMemcpyAsync: the addresses tell from where to where
	CopiedOther   // peers
	CopiesUnsized // how many have a size that is not known: 3D, arrays, batches
	Sets
	SetBytes
	Syncs
	Allocs
	AllocBytes
	FromPool // of Allocs: of a pool, in the order of a stream
	FromPoolBytes
	Releases
	ReleaseBytes
	Handles // modules, libraries and functions that were loaded or looked up
	Captures
	Failures
	HostNS   // in all of these calls
	HighMark // the most bytes that were allocated at one time
	quantities
)

var quantityNames = [quantities]string{
	"launches", "graph-launches", "graph-kernels", "copies", "bytes-htod", "bytes-dtoh", "bytes-dtod", "bytes-unified",
	"bytes-other", "copies-unsized", "sets", "set-bytes", "syncs", "allocs", "alloc-bytes", "pooled", "pooled-bytes",
	"releases", "release-bytes", "handles", "captured", "failed", "host-ns", "high-bytes",
}

func (q Quantity) String() string {
	if q < 0 || q >= quantities {
		return "unknown"
	}
	return quantityNames[q]
}

// MarshalText makes its name the key of an object.
func (q Quantity) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText reads it. A name of a later gpuci's is no error, and no quantity either.
func (q *Quantity) UnmarshalText(b []byte) error {
	for i, name := range quantityNames {
		if name == string(b) {
			*q = Quantity(i)
			return nil
		}
	}
	*q = quantities
	return nil
}

// label is its name in a text for people.
func (q Quantity) label() string {
	special := map[Quantity]string{
		GraphKernels: "kernels in graphs", CopiedHtoD: "host to card", CopiedDtoH: "card to host", CopiedDtoD: "on the card", CopiedUnified: "copied by address",
		CopiedOther: "copied else", CopiesUnsized: "copies of unknown size", Sets: "memsets", SetBytes: "set", AllocBytes: "allocated", FromPool: "of a pool",
		FromPoolBytes: "allocated of a pool", ReleaseBytes: "released", HighMark: "in use at most", HostNS: "in calls", Syncs: "synchronising calls",
	}
	if text, ok := special[q]; ok {
		return text
	}
	return strings.ReplaceAll(q.String(), "-", " ")
}

// exact says whether two runs of the same program have the same: all but times.
func (q Quantity) exact() bool { return q != HostNS && q < quantities }

// bytes says whether it is a size.
func (q Quantity) bytes() bool {
	switch q {
	case CopiedHtoD, CopiedDtoH, CopiedDtoD, CopiedUnified, CopiedOther, SetBytes, AllocBytes, FromPoolBytes, ReleaseBytes, HighMark:
		return true
	}
	return false
}

// Counts are what a program asked for in some time.
type Counts [quantities]int64

// plus adds what came after, or beside.
func (c *Counts) plus(o *Counts) {
	high := max(c[HighMark], o[HighMark])
	for q := range c {
		c[q] += o[q]
	}
	c[HighMark] = high
}

// Map is for JSON: those that are not 0.
func (c *Counts) Map() map[Quantity]int64 {
	m := map[Quantity]int64{}
	for q, n := range c {
		if n != 0 {
			m[Quantity(q)] = n
		}
	}
	return m
}

// directionOf reads off a driver's call which bytes it moves.
func directionOf(call string) Quantity {
	rest := strings.TrimPrefix(call, "cuMemcpy")
	for begins, q := range map[string]Quantity{"HtoD": CopiedHtoD, "DtoH": CopiedDtoH, "DtoD": CopiedDtoD} {
		if strings.HasPrefix(rest, begins) {
			return q
		}
	}
	if rest, _, _ = strings.Cut(rest, "_"); rest == "" || rest == "Async" {
		return CopiedUnified
	}
	return CopiedOther
}

// call is what a name says of a driver's call.
type call struct {
	direction Quantity
	waits     bool // until the card has done what it was asked for
	begins    bool // a capture
	managed   bool // memory that the host reads as it is
}

func callOf(name string) call {
	async := strings.Contains(name, "Async") || strings.HasPrefix(name, "cuMemcpyBatch")
	return call{
		direction: directionOf(name),
		waits:     strings.Contains(name, "Synchronize") || strings.HasPrefix(name, "cuMemcpy") && !async && !strings.HasPrefix(name, "cuMemcpyDtoD"),
		begins:    strings.HasPrefix(name, "cuStreamBeginCapture"),
		managed:   strings.HasPrefix(name, "cuMemAllocManaged"),
	}
}

// add takes an event in. Memory in use is the caller's to know.
func (c *Counts) add(e *Event, is call, graph Nodes) {
	c[HostNS] += int64(e.Took)
	switch {
	case e.Flags&Failed != 0:
		c[Failures]++
	case e.Flags&Captured != 0:
		c[Captures]++
	case e.Kind == Launch:
		c[Launches]++
	case e.Kind == GraphLaunch:
		c[GraphLaunches]++
		c[GraphKernels] += int64(graph.Kernels)
	case e.Kind == Copy && e.Flags&Unsized != 0:
		c[Copies]++
		c[CopiesUnsized]++
	case e.Kind == Copy:
		c[Copies]++
		c[is.direction] += int64(e.Value)
	case e.Kind == Sync:
		c[Syncs]++
	case e.Kind == Handle:
		c[Handles]++
	default:
		c.memory(e)
	}
}

func (c *Counts) memory(e *Event) {
	n, bytes := Sets, SetBytes
	switch e.Kind {
	case Set:
	case Alloc:
		n, bytes = Allocs, AllocBytes
	case Release:
		n, bytes = Releases, ReleaseBytes
	default:
		return
	}
	size := int64(e.Value)
	if e.Flags&Unsized != 0 {
		size = 0
	}
	c[n]++
	c[bytes] += size
	if e.Kind == Alloc && e.Flags&Pooled != 0 {
		c[FromPool]++
		c[FromPoolBytes] += size
	}
}
