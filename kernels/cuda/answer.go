package cuda

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gpuci/kernels/launch"
)

// Answer is one line of gpuci-cuda's standard output: Type says which of the others is
// there. A run ends with "done" or with "error", and with neither it broke off.
type Answer struct {
	Type    string          `json:"type"` // "device", "launched", "finding", "buffer", "memory", "times", "copy", "rechecked", "error" or "done"
	Device  *Device         `json:"device,omitempty"`
	Count   *launch.Count   `json:"count,omitempty"`
	Finding *launch.Finding `json:"finding,omitempty"`
	Buffer  *Buffer         `json:"buffer,omitempty"`
	Memory  *Memory         `json:"memory,omitempty"`
	Times   *Times          `json:"times,omitempty"`
	Copy    *Copy           `json:"copy,omitempty"`
	Code    Code            `json:"code,omitempty"`  // of an error
	Text    string          `json:"text,omitempty"`  // of an error
	Equal   *int            `json:"equal,omitempty"` // of "rechecked": sets of buffers whose results were the first's bits after the last sample
}

// Device is the card that a job ran on.
type Device struct {
	Name   string `json:"name"`
	UUID   string `json:"uuid"`   // "GPU-…", as NVIDIA's tools write it
	Arch   string `json:"arch"`   // "sm_90"
	Driver string `json:"driver"` // the CUDA version that the driver has, "13.0"
	Memory int64  `json:"memory"` // bytes
}

// Memory is what a job's buffers took, without guard zones and what measures them.
type Memory struct {
	Allocations int   `json:"allocations"`
	Bytes       int64 `json:"bytes"` // at the end of the last launch
	High        int64 `json:"high"`  // at most at a time
	Left        int64 `json:"left"`  // after all was given back: 0, or something leaked
}

// Times are the samples of one phase, or of one kernel in it.
type Times struct {
	Phase   string    `json:"phase"`
	Kernel  string    `json:"kernel,omitempty"` // "": the phase from its first launch's start to its last one's end
	Samples []float64 `json:"samples"`          // milliseconds, by events on the card
}

// Copy is a copy within the card's memory, which reads and writes its bytes.
type Copy struct {
	Bytes   int64     `json:"bytes"`
	Samples []float64 `json:"samples"` // milliseconds
}

// Code is the kind of an error.
type Code string

// The codes.
const (
	NoDriver    Code = "no-driver"     // no driver, or none that works here, or no card
	NoCUDA      Code = "no-cuda"       // a gpuci-cuda that was built without CUDA
	BadJob      Code = "bad-job"       // the request cannot be run anywhere
	NoCubin     Code = "no-cubin"      // a file that is not there or no cubin
	WrongArch   Code = "wrong-arch"    // a cubin for other cards
	NoEntry     Code = "no-entry"      // a kernel that no cubin has
	TooMuch     Code = "too-much"      // threads, shared memory or registers beyond what the card or the kernel allows
	OutOfMemory Code = "out-of-memory" // of the card
	Crash       Code = "crash"         // a kernel that the card ended, such as for an illegal address
	OfDriver    Code = "driver"        // anything else that the driver refuses
)

// exitUnfit is the exit code for what cannot be done here.
const exitUnfit = 69

// Exit is gpuci-cuda's exit code: 69 where there is no driver, 64 for what was asked
// wrongly, else 1.
func (c Code) Exit() int {
	switch c {
	case NoDriver, NoCUDA:
		return exitUnfit
	case BadJob:
		return 64
	}
	return 1
}

// Error is what gpuci-cuda refused or could not do.
type Error struct {
	Code Code
	Text string
}

func (e *Error) Error() string { return e.Text }

// answers are all of a run.
type answers struct {
	device  *Device
	result  launch.Result
	memory  *Memory
	times   []Times
	copied  *Copy
	equal   int
	refused *Error
	done    bool
	any     bool // there is an answer at all
}

// maxLine bounds one answer: a buffer of 2 GiB in base64 and its name.
const maxLine = 3 << 30

// readAnswers reads them to the end. A line that is no answer is an error: gpuci-cuda
// keeps what others print away from its own output.
func readAnswers(from io.Reader) (a answers, err error) {
	a.result.Buffers = map[string][]float32{}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		var one Answer
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return a, fmt.Errorf("read answer: %.80q is none: %w", lines.Text(), err)
		}
		if a.done || a.refused != nil {
			return a, fmt.Errorf("read answer: %q comes after the last one", one.Type)
		}
		if err := a.take(one); err != nil {
			return a, fmt.Errorf("read answer %q: %w", one.Type, err)
		}
		a.any = true
	}
	return a, lines.Err()
}

func (a *answers) take(one Answer) error {
	lacks := errors.New("it lacks what it is about")
	switch {
	case one.Type == "device" && one.Device != nil:
		a.device = one.Device
	case one.Type == "launched" && one.Count != nil && one.Count.Times > 0:
		a.result.Launches = append(a.result.Launches, *one.Count)
	case one.Type == "finding" && one.Finding != nil:
		a.result.Findings = append(a.result.Findings, *one.Finding)
	case one.Type == "buffer" && one.Buffer != nil:
		data, err := Floats(one.Buffer.Bits)
		if err != nil || len(data) != one.Buffer.Count {
			return fmt.Errorf("buffer %q has %d bytes for %d elements", one.Buffer.Name, len(one.Buffer.Bits), one.Buffer.Count)
		}
		a.result.Buffers[one.Buffer.Name] = data
	case one.Type == "memory" && one.Memory != nil:
		a.memory = one.Memory
	case one.Type == "times" && one.Times != nil && len(one.Times.Samples) > 0:
		a.times = append(a.times, *one.Times)
	case one.Type == "copy" && one.Copy != nil && len(one.Copy.Samples) > 0:
		a.copied = one.Copy
	case one.Type == "rechecked" && one.Equal != nil:
		a.equal = *one.Equal
	case one.Type == "error" && one.Code != "":
		a.refused = &Error{one.Code, one.Text}
	case one.Type == "done":
		a.done = true
	default:
		return lacks
	}
	return nil
}
