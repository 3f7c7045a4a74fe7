package trace

import (
	"fmt"
	"time"
)

// Report is what a recording comes to.
type Report struct {
	Type      string          `json:"type"` // always "trace-report"
	Dir       string          `json:"dir"`
	Run       *Meta           `json:"run,omitempty"`
	Processes []ProcessReport `json:"processes"`
}

// ProcessReport is one process that used CUDA.
type ProcessReport struct {
	Process
	Cards    []Card             `json:"cards,omitempty"`
	Threads  int                `json:"threads"`
	Launcher int                `json:"threads-that-launch"`
	Events   int64              `json:"events"`
	By       string             `json:"by,omitempty"` // what steps go by: "range", "line", or "process" where it has none
	Whole    map[Quantity]int64 `json:"whole"`
	Stages   []StageReport      `json:"stages,omitempty"` // in the order in which they began
	Inner    map[string]int     `json:"inner-ranges,omitempty"`
	Graphs   []GraphRuns        `json:"graphs,omitempty"`
	Capture  Audit              `json:"capture,omitzero"`
	Kept     []Kept             `json:"kept,omitempty"`
	Findings []Finding          `json:"findings,omitempty"` // those that cost most first
}

// StageReport is a stage. All that is not said to be of all steps is of the warm ones.
type StageReport struct {
	Name     string             `json:"name"`                    // Outside where no range was
	Whole    bool               `json:"whole-process,omitempty"` // it is Outside, and all there is
	Steps    int                `json:"steps"`
	Apart    int                `json:"apart"` // the first ones of these, that are not warm
	Total    map[Quantity]int64 `json:"total"` // of all steps
	Counts   map[Quantity]Each  `json:"counts"`
	Took     Spread             `json:"took"` // a step; of Outside only where it is the whole process
	Price    Price              `json:"price"`
	Kernels  []KernelReport     `json:"kernels,omitempty"`
	Chains   []Chain            `json:"chains,omitempty"`
	Cut      bool               `json:"chains-cut,omitempty"` // the step was too long to look at all of it
	Waits    []CallReport       `json:"waits,omitempty"`      // calls that wait for the card
	Memory   []CallReport       `json:"memory,omitempty"`     // that allocate and release
	Captured int64              `json:"captured,omitempty"`   // calls that went into a graph, of all steps
}

// Warm is how many steps the figures are of.
func (s StageReport) Warm() int { return s.Steps - s.Apart }

// Label is its name for people.
func (s StageReport) Label() string {
	switch {
	case s.Whole:
		return "(whole process)"
	case s.Name == Outside:
		return "(outside)"
	}
	return s.Name
}

// CallReport is a call of the driver, in the warm steps of a stage.
type CallReport struct {
	Call    string        `json:"call"`
	N       int64         `json:"n"`
	Bytes   int64         `json:"bytes,omitempty"`
	Took    time.Duration `json:"took-ns"` // all of them
	Longest time.Duration `json:"longest-ns"`
}

// KernelReport is a kernel in the warm steps of a stage.
type KernelReport struct {
	Name     string        `json:"name"`
	Symbol   string        `json:"symbol"`
	Launches int64         `json:"launches"` // in all warm steps
	InCall   time.Duration `json:"in-call-ns"`
	Cost     time.Duration `json:"cost-ns"` // launches x price, a step
	Share    float64       `json:"share"`   // of the stage's launches
	Shapes   []Shape       `json:"shapes"`  // the most launched first
}

// Shape is how a kernel was launched.
type Shape struct {
	Grid     [3]int `json:"grid"`
	Block    [3]int `json:"block"`
	Shared   int    `json:"shared,omitempty"`
	Launches int64  `json:"launches"`
}

// NewReport counts each process of a recording. Of what Counting leaves open the run's own
// settings hold, which are read from the recording when meta is nil.
func NewReport(r Recording, meta *Meta, how Counting) (Report, error) {
	var err error
	if meta == nil {
		if meta, err = ReadMeta(r.Dir); err != nil {
			return Report{}, err
		}
	}
	if how, err = meta.counting(r.Dir, how); err != nil {
		return Report{}, err
	}
	report := Report{Type: "trace-report", Dir: r.Dir, Run: meta}
	for _, p := range r.Processes {
		if p.State == Refused {
			one := ProcessReport{Process: p}
			one.Findings = findings(&one)
			report.Processes = append(report.Processes, one)
			continue
		}
		s, err := p.Count(how)
		if err != nil {
			return Report{}, fmt.Errorf("count process %d (%s): %w", p.PID, p.Command, err)
		}
		report.Processes = append(report.Processes, reportOf(&s, how))
	}
	return report, nil
}

// Only keeps the stages of a name, in each process. The error says which there are.
func (r Report) Only(stage string) (Report, error) {
	found, there := false, []string(nil)
	kept := r
	kept.Processes = nil
	for _, p := range r.Processes {
		stages := p.Stages
		p.Stages = nil
		for _, s := range stages {
			there = append(there, fmt.Sprintf("%q", s.Label()))
			if s.Name == stage || s.Label() == stage {
				p.Stages, found = append(p.Stages, s), true
			}
		}
		kept.Processes = append(kept.Processes, p)
	}
	if !found {
		return r, &NoStage{stage, there}
	}
	return kept, nil
}

// NoStage says that a recording has none of a name.
type NoStage struct {
	Name  string
	There []string
}

func (e *NoStage) Error() string {
	return fmt.Sprintf("find the stage %q: there is none; there are %s", e.Name, listed(e.There))
}
