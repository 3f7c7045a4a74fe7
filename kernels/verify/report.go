package verify

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"gpuci/kernels/launch"
)

// Report is what came of a check.
type Report struct {
	Check    string
	Backend  string
	Cases    int // that were run to their end and looked at
	Planned  int // that there were
	Rows     []Row
	Numbers  []Number
	Covered  []Covered
	Findings []Finding
	Failures []Failure
	Unseen   []launch.Kind // kinds of findings that the backend did not see where they are
	Counters []Counter     // what proves the path, beside the numbers of cases
	Seconds  float64

	bars    []Bar
	partial bool // only cases of some names were asked for
}

// Row is one tensor of the cases that have family and number of chunks in common, held
// against its reference.
type Row struct {
	Family   string `json:"family,omitempty"`
	Chunks   int    `json:"chunks,omitempty"`
	Term     string `json:"term"`
	Compared int    `json:"compared"`            // elements
	NaNs     int    `json:"nan"`                 // elements that are not finite on either side
	MaxRel   Real   `json:"max-rel"`             // largest difference, as a share of the reference's largest element
	RMSRel   Real   `json:"rms-rel"`             // root mean square of the differences over that of the reference, the worst case's
	Ratio    Real   `json:"rms-ratio,omitempty"` // root mean square of the differences over that of the ops path
	Case     string `json:"case"`                // with the largest difference
	Worst    [4]int `json:"worst"`               // where in it
	Got      Real   `json:"got"`
	Want     Real   `json:"want"`
}

// Number is one for a gate's bars, as a gpuci:metric line gives it.
type Number struct {
	Name   string  `json:"name"`
	Value  Real    `json:"value"`
	Labels []Label `json:"labels,omitempty"`
}

// Label is what a number is of.
type Label struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Covered is a place on an axis of what a gate covers.
type Covered struct {
	Axis  string `json:"axis"`
	Place string `json:"place"`
}

// Finding is something wrong that the backend saw in a case.
type Finding struct {
	Case    string      `json:"case"`
	Kind    launch.Kind `json:"kind"`
	Kernel  string      `json:"kernel,omitempty"`
	File    string      `json:"file,omitempty"`
	Line    int         `json:"line,omitempty"`
	Block   [3]int      `json:"block"`
	Threads [][3]int    `json:"threads,omitempty"` // of a race first the later one, which is at file and line
	Memory  string      `json:"memory,omitempty"`  // "shared+128" in bytes, "out[2048]" in elements
	Count   int         `json:"count"`             // how often at these lines
	Text    string      `json:"text"`              // all of it
}

func foundIn(name string, f launch.Finding) Finding {
	return Finding{name, f.Kind, f.Kernel, f.File, f.Line, f.Block, f.Threads, f.Memory, f.Count, f.Text}
}

// Failure is a case that could not be looked at, and why: a kernel that crashed, a
// deadlock.
type Failure struct {
	Case string `json:"case"`
	Text string `json:"text"`
}

// Counter is a word key=value of the witness line.
type Counter struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func counter(key string, n int) Counter { return Counter{key, strconv.Itoa(n)} }

// Real is a number that can be none: in JSON that is null.
type Real float64

// MarshalJSON implements [json.Marshaler].
func (r Real) MarshalJSON() ([]byte, error) {
	if f := float64(r); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

// String is a number with six digits, as bars read it.
func (r Real) String() string { return strconv.FormatFloat(float64(r), 'g', 6, 64) }

// Compared is the number of elements that were held against a reference, and how many
// of these were not finite.
func (r Report) Compared() (elements, nans int) {
	for _, row := range r.Rows {
		elements, nans = elements+row.Compared, nans+row.NaNs
	}
	return elements, nans
}

// Lines are what a gate reads beside the witness: the numbers, and what was covered.
func (r Report) Lines() []string {
	var lines []string
	for _, n := range r.Numbers {
		words := []string{"gpuci:metric", "name=" + n.Name, "value=" + n.Value.String()}
		for _, l := range n.Labels {
			words = append(words, l.Key+"="+l.Value)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	for _, c := range r.Covered {
		lines = append(lines, "gpuci:scope "+c.Axis+"="+c.Place)
	}
	return lines
}

// Witness is the line that says what was run, counted by whoever ran it.
func (r Report) Witness() string {
	words := []string{"kda-verify", "check=" + r.Check, "backend=" + r.Backend, "cases=" + strconv.Itoa(r.Cases) + "/" + strconv.Itoa(r.Planned)}
	for _, c := range r.Counters {
		words = append(words, c.Key+"="+c.Value)
	}
	return strings.Join(words, " ")
}
