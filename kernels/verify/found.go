package verify

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/launch"
)

// findingsName is the metric of what the backend saw to be wrong, by kind. None is
// right, so that its bar is 0.
const findingsName = "findings"

// NotJudged is the kind of a finding about an expression whose value on this backend
// says nothing of its value on a device.
const NotJudged launch.Kind = "not-judged"

// Finding is something wrong that the backend saw: in the first case at these lines,
// which may be seen in others, too.
type Finding struct {
	Case    string      `json:"case"`
	Cases   int         `json:"cases"` // in how many it was seen
	Kind    launch.Kind `json:"kind"`
	Kernel  string      `json:"kernel,omitempty"`
	File    string      `json:"file,omitempty"`
	Line    int         `json:"line,omitempty"`
	Block   [3]int      `json:"block"`
	Threads [][3]int    `json:"threads,omitempty"` // of a race first the later one, which is at file and line
	Other   *Access     `json:"other,omitempty"`   // of a race the earlier access, else where other threads wait
	Memory  string      `json:"memory,omitempty"`  // "shared+128" in bytes, "out[2048]" in elements
	Count   int         `json:"count"`             // how often at these lines, in the first case
	Text    string      `json:"text"`              // all of it

	latest string // the last case that it was seen in
}

// Access is a place of the source, and the thread that was there.
type Access struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Block  [3]int `json:"block"`
	Thread [3]int `json:"thread"`
}

func foundIn(name string, f launch.Finding) Finding {
	found := Finding{
		latest: name, Case: name, Cases: 1, Kind: f.Kind, Kernel: f.Kernel, File: f.File, Line: f.Line, Block: f.Block,
		Threads: f.Threads, Memory: f.Memory, Count: f.Count, Text: f.Text,
	}
	if len(f.Threads) > 1 && f.Other.File != "" {
		found.Other = &Access{f.Other.File, f.Other.Line, f.Other.Block, f.Threads[1]}
	}
	return found
}

// same says whether both are the same defect: of one kind at the same lines, or where
// there is no line, in the same memory.
func (f Finding) same(o Finding) bool {
	if f.Kind != o.Kind || f.Kernel != o.Kernel || f.File != o.File || f.Line != o.Line || (f.Other == nil) != (o.Other == nil) {
		return false
	}
	if f.Line == 0 && f.buffer() != o.buffer() {
		return false
	}
	return f.Other == nil || f.Other.File == o.Other.File && f.Other.Line == o.Other.Line
}

// buffer is the memory without the place in it.
func (f Finding) buffer() string {
	name, _, _ := strings.Cut(f.Memory, "[")
	return name
}

// take takes in how a case ended: what was seen in it counts always, the case itself
// where nothing kept it from being looked at. It reports whether that is so.
func (r *Report) take(name string, findings []launch.Finding, err error) bool {
	r.found(name, findings)
	if err != nil {
		r.Failures = append(r.Failures, Failure{name, err.Error()})
		return false
	}
	r.Cases++
	return true
}

// found takes in what was seen in a case.
func (r *Report) found(name string, list []launch.Finding) {
	for _, one := range list {
		f := foundIn(name, one)
		i := slices.IndexFunc(r.Findings, f.same)
		switch {
		case i < 0:
			r.Findings = append(r.Findings, f)
		case r.Findings[i].latest != name: // two runs of a case are one case
			r.Findings[i].Cases++
			r.Findings[i].latest = name
		}
	}
}

// labels say where the finding is, for whoever reads the number and nothing else.
func (f Finding) labels() Labels {
	list := Labels{{"kind", string(f.Kind)}}
	add := func(key, value string) {
		if value != "" {
			list = append(list, Label{key, value})
		}
	}
	add("kernel", f.Kernel)
	add("at", at(f.File, f.Line))
	if f.Other != nil {
		add("and", at(f.Other.File, f.Other.Line))
	}
	if f.Kind == NotJudged {
		add("what", f.Memory)
	} else {
		add("memory", f.Memory)
	}
	var threads []string
	for _, t := range f.Threads[:min(2, len(f.Threads))] {
		threads = append(threads, fmt.Sprintf("(%d,%d,%d)", t[0], t[1], t[2]))
	}
	add("threads", strings.Join(threads, ","))
	add("case", f.Case)
	return list
}

func at(file string, line int) string {
	if file == "" || line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// findings are the numbers of findings: of the kinds that were looked for, whether there
// are any or not, and of all others that there are. The first of a kind is in the labels.
func (r Report) findings(kinds []launch.Kind) (list []Number) {
	all := slices.Clone(kinds)
	for _, f := range r.Findings {
		if !slices.Contains(all, f.Kind) {
			all = append(all, f.Kind)
		}
	}
	for _, k := range all {
		n := Number{Name: findingsName, Labels: Labels{{"kind", string(k)}}}
		for _, f := range r.Findings {
			if f.Kind != k {
				continue
			}
			if n.Value == 0 {
				n.Labels = f.labels()
			}
			n.Value++
		}
		list = append(list, n)
	}
	return list
}

// findingsText is all of them in a line.
func findingsText(list []launch.Finding) string {
	var texts []string
	for _, f := range list {
		texts = append(texts, f.Text)
	}
	return strings.Join(texts, "; ")
}
