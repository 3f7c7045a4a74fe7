package trace

import (
	"slices"
	"time"
)

// Report is what a recording comes to.
type Report struct {
	Type      string          `json:"type"` // always "trace-report"
	Dir       string          `json:"dir"`
	Run       *Meta           `json:"run,omitempty"`
	Stage     string          `json:"stage,omitempty"`   // what [Report.Only] was asked for
	Notes     []string        `json:"notes,omitempty"`   // what was asked for when it was counted, and is not there
	Missing   []string        `json:"missing,omitempty"` // processes of which nothing is counted, though they may have used CUDA: all counts are short of theirs
	Processes []ProcessReport `json:"processes"`
	lacking   error           // of what it was to be counted by
	unmet     error           // that of the caller's
}

// Short says that of processes of the recording nothing is counted, which may have used
// CUDA; of all of them where none is.
func (r Report) Short() (short, all bool) {
	return len(r.Missing) > 0, !slices.ContainsFunc(r.Processes, func(p ProcessReport) bool { return p.counted() })
}

// Uncounted is why nothing was counted; "" where a process was.
func (r Report) Uncounted() (why string) {
	if _, all := r.Short(); !all {
		return ""
	}
	for _, p := range r.Processes {
		if p.Why != "" {
			return p.Why
		}
	}
	return "no process that used CUDA was seen"
}

// ProcessReport is one process that used CUDA.
type ProcessReport struct {
	Process
	Cards    []Card             `json:"cards,omitempty"`
	ByCard   []CardCounts       `json:"by-card,omitempty"`
	Threads  int                `json:"threads"`
	Launcher int                `json:"threads-that-launch"`
	Events   int64              `json:"events"`
	By       string             `json:"by,omitempty"` // what steps go by: "range", "line", or "process" where it has none
	Whole    map[Quantity]int64 `json:"whole"`
	Stages   []StageReport      `json:"stages,omitempty"` // in the order in which they began
	Inner    map[string]int     `json:"inner-ranges,omitempty"`
	Graphs   []GraphRuns        `json:"graphs,omitempty"`
	Capture  Audit              `json:"capture,omitzero"`
	Kept     []Kept             `json:"kept,omitempty"`        // never released
	Idle     []IdleGraph        `json:"graphs-idle,omitempty"` // made ready, and never launched
	Unread   []Unread           `json:"unread-hints,omitempty"`
	Device   *DeviceReport      `json:"device,omitempty"`   // nil: no times of the card were taken
	Findings []Finding          `json:"findings,omitempty"` // those that cost most first
	one      bool               // [Report.Only] has left one stage
	lines    int                // that were to end a step
	run      *Meta              // nil: not known
}

// StageReport is a stage. All that is not said to be of all steps is of the warm ones.
type StageReport struct {
	Name     string             `json:"name"`                    // Outside where no range was
	Whole    bool               `json:"whole-process,omitempty"` // it is Outside, and all there is
	Steps    int                `json:"steps"`
	Apart    int                `json:"apart"`             // the first ones of these, that are not warm
	Blurred  int                `json:"blurred,omitempty"` // warm ones that cannot be told from their neighbours: a line that ends one was read late, or was kept back
	Total    map[Quantity]int64 `json:"total"`             // of all steps
	Counts   map[Quantity]Each  `json:"counts"`
	Took     Spread             `json:"took"` // a step; of Outside only where it is the whole process
	Price    Price              `json:"price"`
	Device   []StageDevice      `json:"device,omitempty"`  // by card; none: no times of the card
	Untimed  int64              `json:"untimed,omitempty"` // launches, copies and sets for which there is no time
	Kernels  []KernelReport     `json:"kernels,omitempty"`
	Chains   []Chain            `json:"chains,omitempty"`
	Cut      bool               `json:"chains-cut,omitempty"` // the step was too long to look at all of it
	Waits    []CallReport       `json:"waits,omitempty"`      // calls that wait for the card
	Memory   []CallReport       `json:"memory,omitempty"`     // that allocate and release
	Captured int64              `json:"captured,omitempty"`   // calls that went into a graph, of all steps
}

// Warm is how many steps the figures are of.
func (s StageReport) Warm() int { return s.Steps - s.Apart }

// once says that it is no step and has none: what was in no range, or behind the last line.
func (s *StageReport) once() bool { return s.Name == Outside || s.Name == AfterLast }

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
	Cost     time.Duration `json:"cost-ns"`          // launches x price, a step
	Share    float64       `json:"share"`            // of the stage's launches
	Device   *DeviceTime   `json:"device,omitempty"` // nil: no times of the card
	Shapes   []Shape       `json:"shapes"`           // the most launched first
}

// Shape is how a kernel was launched.
type Shape struct {
	Grid     [3]int `json:"grid"`
	Block    [3]int `json:"block"`
	Shared   int    `json:"shared,omitempty"`
	Launches int64  `json:"launches"`
}
