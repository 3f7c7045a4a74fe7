package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gpuci/kernels/launch"
)

// Report is what came of a check.
type Report struct {
	Check    string
	Backend  string
	Tool     string // what made the programs, with its version
	Cases    int    // that were run to their end and looked at
	Planned  int    // that there were
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
	Name   string `json:"name"`
	Value  Real   `json:"value"`
	Labels Labels `json:"labels,omitempty"`

	where string // both values and their place, for people; "" where there are none
}

// label is the value of a label, "" where there is none.
func (n Number) label(key string) string {
	for _, l := range n.Labels {
		if l.Key == key {
			return l.Value
		}
	}
	return ""
}

// see are the checks that say more, with commas between.
func (n Number) see() string { return n.label("see") }

// String is the number's name and what it is of, without the places of what is wrong,
// which people are told in other words.
func (n Number) String() string {
	words := []string{n.Name}
	for _, l := range n.Labels {
		switch l.Key {
		case "family", "term", "chunks", "kind":
			words = append(words, l.Key+"="+l.Value)
		}
	}
	return strings.Join(words, " ")
}

// Labels are what a number is of, in the order in which they are printed.
type Labels []Label

// Label is one of them.
type Label struct{ Key, Value string }

// MarshalJSON implements [json.Marshaler]: an object, as other labels and counters are.
func (l Labels) MarshalJSON() ([]byte, error) {
	object := make(map[string]string)
	for _, one := range l {
		object[one.Key] = one.Value
	}
	return json.Marshal(object)
}

// Covered is a place on an axis of what a gate covers.
type Covered struct {
	Axis  string `json:"axis"`
	Place string `json:"place"`
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

// String is a number as bars read it: a whole one to its last digit, another with six.
func (r Real) String() string {
	if f := float64(r); f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(float64(r), 'g', 6, 64)
}

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

// Witness is the line that says what was run, counted by whoever ran it. Where all cases
// were asked for a second line says how much all of it was: it is missing where only a
// part was, so that a gate can ask for all of it, and for what it knows of a part.
func (r Report) Witness() string {
	words := []string{"kda-verify", "check=" + r.Check, "backend=" + r.Backend, "compiler=" + r.Tool, "cases=" + strconv.Itoa(r.Cases) + "/" + strconv.Itoa(r.Planned)}
	for _, c := range r.Counters {
		words = append(words, c.Key+"="+c.Value)
	}
	line := strings.Join(words, " ")
	if r.partial {
		return line
	}
	elements, _ := r.Compared()
	line += fmt.Sprintf("\nkda-verify-all check=%s cases=%d compared=%d", r.Check, r.Cases, elements)
	for _, c := range r.Counters {
		if c.Key != "compared" {
			line += " " + c.Key + "=" + c.Value
		}
	}
	return line
}
