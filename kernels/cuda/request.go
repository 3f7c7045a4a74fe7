package cuda

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gpuci/kernels/launch"
)

// Version is that of the protocol: a gpuci-cuda of another build is told by it.
const Version = 1

// Request is what gpuci-cuda reads from standard input, one JSON value.
type Request struct {
	Version int  `json:"version"`
	Ask     bool `json:"ask,omitempty"` // say what the card is, and run nothing

	Cubins   []string `json:"cubins,omitempty"` // paths
	Buffers  []Buffer `json:"buffers,omitempty"`
	Launches []Launch `json:"launches,omitempty"`
	Return   []string `json:"return,omitempty"` // the buffers that come back; none is all but inputs

	// Bare leaves out guard zones and poison, which hide from compute-sanitizer what it
	// looks for: an access beyond an allocation, and memory that nobody has written.
	Bare bool `json:"bare,omitempty"`

	Timing *Timing `json:"timing,omitempty"`
}

// Buffer is a launch.Buffer, its data the bits of float32, little endian (base64 in
// JSON), which keeps every NaN.
type Buffer struct {
	Name  string      `json:"name"`
	Count int         `json:"count"` // elements
	Role  launch.Role `json:"role"`
	Bits  []byte      `json:"bits,omitempty"`
}

// Launch is a launch.Launch.
type Launch struct {
	Kernel string `json:"kernel"`
	Phase  string `json:"phase"`
	Grid   [3]int `json:"grid"`
	Block  [3]int `json:"block"`
	Shared int    `json:"shared,omitempty"` // bytes
	Args   []Arg  `json:"args,omitempty"`
}

// Arg is a launch.Arg.
type Arg struct {
	Buffer string  `json:"buffer,omitempty"`
	Int    *int32  `json:"int,omitempty"`
	Float  *uint32 `json:"float,omitempty"` // the bits of a float32
}

// Timing asks for times beside the results.
type Timing struct {
	WarmUps int   `json:"warm-ups"` // runs before any that counts
	Samples int   `json:"samples"`  // runs that count, each timed by events of its own
	Copies  int   `json:"copies"`   // sets of buffers that the runs take in turn, so that no run finds its own data in a cache
	Copy    int64 `json:"copy"`     // bytes of a copy within the card, timed beside it; 0: none
}

// RequestOf is a job as it is sent.
func RequestOf(job launch.Job) Request {
	r := Request{Version: Version}
	for _, b := range job.Buffers {
		r.Buffers = append(r.Buffers, Buffer{b.Name, b.Count, b.Role, Bits(b.Data)})
	}
	for _, l := range job.Launches {
		to := Launch{Kernel: l.Kernel, Phase: l.Phase, Grid: l.Grid, Block: l.Block, Shared: l.Shared}
		for _, a := range l.Args {
			one := Arg{Buffer: a.Buffer, Int: a.Int}
			if a.Float != nil {
				bits := math.Float32bits(*a.Float)
				one.Float = &bits
			}
			to.Args = append(to.Args, one)
		}
		r.Launches = append(r.Launches, to)
	}
	return r
}

// ReadRequest reads one request and nothing behind it. A word that is not of the protocol
// may be one that changes what is meant, and is refused.
func ReadRequest(from io.Reader) (r Request, err error) {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	if err = d.Decode(&r); err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind it")
		}
	}
	switch {
	case err != nil && r.Version != 0 && r.Version != Version:
		return r, wrongVersion(r.Version)
	case err != nil:
		return r, fmt.Errorf("read request: %w", err)
	}
	return r, nil
}

func wrongVersion(v int) error {
	return fmt.Errorf("read request: it is of version %d, and this gpuci-cuda of %d: build both again", v, Version)
}

// Job is the job of a request, which must be one that can run somewhere.
func (r Request) Job() (launch.Job, error) {
	var job launch.Job
	if r.Version != Version {
		return job, wrongVersion(r.Version)
	}
	for _, b := range r.Buffers {
		data, err := Floats(b.Bits)
		if err != nil {
			return job, fmt.Errorf("read request: buffer %q: %w", b.Name, err)
		}
		job.Buffers = append(job.Buffers, launch.Buffer{Name: b.Name, Count: b.Count, Role: b.Role, Data: data})
	}
	for _, l := range r.Launches {
		to := launch.Launch{Kernel: l.Kernel, Phase: l.Phase, Grid: l.Grid, Block: l.Block, Shared: l.Shared}
		for _, a := range l.Args {
			one := launch.Arg{Buffer: a.Buffer, Int: a.Int}
			if a.Float != nil {
				x := math.Float32frombits(*a.Float)
				one.Float = &x
			}
			to.Args = append(to.Args, one)
		}
		job.Launches = append(job.Launches, to)
	}
	if err := job.Check(); err != nil {
		return job, err
	}
	return job, r.check(job)
}

// Most of what times can be asked for: a sample is a float64 of the answer, and a copy
// of the buffers is memory of the card.
const (
	maxSamples = 100_000
	maxCopies  = 64
)

// check refuses what is asked beside the job and means nothing.
func (r Request) check(job launch.Job) error {
	known := map[string]bool{}
	for _, b := range job.Buffers {
		known[b.Name] = true
	}
	for _, name := range r.Return {
		if !known[name] {
			return fmt.Errorf("read request: buffer %q is to come back, and the job has none of that name", name)
		}
	}
	if t := r.Timing; t != nil {
		switch {
		case t.Samples < 2 || t.Samples > maxSamples:
			return fmt.Errorf("read request: %d samples; 2 to %d have a spread", t.Samples, maxSamples)
		case t.Copies < 1 || t.Copies > maxCopies:
			return fmt.Errorf("read request: %d copies of the buffers; use 1 to %d", t.Copies, maxCopies)
		case t.WarmUps < 0 || t.WarmUps > maxSamples || t.Copy < 0:
			return fmt.Errorf("read request: %d runs to warm up, a copy of %d bytes; neither may be negative", t.WarmUps, t.Copy)
		}
	}
	return nil
}

// Bits are the bits of numbers, little endian; nil for none.
func Bits(data []float32) []byte {
	if data == nil {
		return nil
	}
	bits := make([]byte, 0, 4*len(data))
	for _, x := range data {
		bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(x))
	}
	return bits
}

// Floats are the numbers of bits.
func Floats(bits []byte) ([]float32, error) {
	if bits == nil {
		return nil, nil
	}
	if len(bits)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of float32", len(bits))
	}
	data := make([]float32, len(bits)/4)
	for i := range data {
		data[i] = math.Float32frombits(binary.LittleEndian.Uint32(bits[4*i:]))
	}
	return data, nil
}
