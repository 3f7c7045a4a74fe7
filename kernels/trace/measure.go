package trace

import (
	"cmp"
	"regexp"
	"slices"
)

// MeasureKind is what a measure's numbers depend on.
type MeasureKind int

// The kinds. What a program asks for it asks for whoever else is on the card; how much
// memory it takes may go by how much is free, and a time goes by everything.
const (
	CountMeasure MeasureKind = iota
	MemoryMeasure
	TimeMeasure
)

// Measure is something of which a recording gives a number: of each warm step of a stage,
// or of the whole run.
type Measure struct {
	Name string
	Unit string // "count", "B", "ns", "ms", or "share", 0 to 1
	Kind MeasureKind
	Only bool // of the whole run only: it is not noted by steps
	Card bool // it needs the times of the card

	sum    []Quantity // of a step
	sized  Kind       // what must have been noted with its size
	graphs bool       // what is in the graphs must be known
}

// Names of measures that are no sum of quantities.
const (
	allProcesses  = "processes"
	graphNodes    = "graph-kernels"
	waitingCalls  = "waiting-calls"
	keptBlocks    = "kept"
	keptBytes     = "kept-bytes"
	captureAllocs = "capture-allocations"
	launchPrice   = "launch-ns"
	stepTime      = "step-ms"
	callTime      = "call-ms"
	deviceTime    = "device-ms"
	idleShare     = "idle-share"
)

var measures = []Measure{
	{Name: allProcesses, Only: true},
	{Name: "launches", sum: []Quantity{Launches}},
	{Name: "graph-launches", sum: []Quantity{GraphLaunches}},
	{Name: graphNodes, sum: []Quantity{GraphKernels}, graphs: true},
	{Name: "copies", sum: []Quantity{Copies}},
	{Name: "copy-bytes", Unit: "B", sum: []Quantity{CopiedHtoD, CopiedDtoH, CopiedDtoD, CopiedUnified, CopiedOther}, sized: Copy},
	{Name: "sets", sum: []Quantity{Sets}},
	{Name: "set-bytes", Unit: "B", sum: []Quantity{SetBytes}, sized: Set},
	{Name: "syncs", sum: []Quantity{Syncs}},
	{Name: waitingCalls},
	{Name: "allocations", sum: []Quantity{Allocs}},
	{Name: "alloc-bytes", Unit: "B", Kind: MemoryMeasure, sum: []Quantity{AllocBytes}, sized: Alloc},
	{Name: "frees", sum: []Quantity{Releases}},
	{Name: "high-bytes", Unit: "B", Kind: MemoryMeasure, sum: []Quantity{HighMark}, sized: Alloc},
	{Name: keptBlocks},
	{Name: keptBytes, Unit: "B", Kind: MemoryMeasure, sized: Alloc},
	{Name: "captured", sum: []Quantity{Captures}},
	{Name: captureAllocs, Only: true},
	{Name: "handles", sum: []Quantity{Handles}},
	{Name: "failed-calls", sum: []Quantity{Failures}},
	{Name: launchPrice, Unit: "ns", Kind: TimeMeasure},
	{Name: callTime, Unit: "ms", Kind: TimeMeasure, sum: []Quantity{HostNS}},
	{Name: stepTime, Unit: "ms", Kind: TimeMeasure},
	{Name: deviceTime, Unit: "ms", Kind: TimeMeasure, Card: true},
	{Name: idleShare, Unit: "share", Kind: TimeMeasure, Card: true},
}

// MeasureOf is the one of a name.
func MeasureOf(name string) (Measure, bool) {
	i := slices.IndexFunc(measures, func(m Measure) bool { return m.Name == name })
	if i < 0 {
		return Measure{}, false
	}
	m := measures[i]
	m.Unit = cmp.Or(m.Unit, "count")
	return m, true
}

// MeasureNames are those of all of them.
func MeasureNames() (names []string) {
	for _, m := range measures {
		names = append(names, m.Name)
	}
	return names
}

// WholeRun is the stage of a number that is of everything, as a report calls it.
const WholeRun = "(whole process)"

// Wanted is a number that is asked for.
type Wanted struct {
	Measure string // of [MeasureNames]; "launches" or "graph-kernels" where there is a Kernel
	Stage   string // by its name or label; [WholeRun]: of all that was counted
	// Kernel counts those kernels alone in whose name, or whose symbol, it is found; nil: all.
	Kernel *regexp.Regexp
}

// Figure is what it came to.
type Figure struct {
	N         int     `json:"n"` // warm steps; 1 of the whole run
	Low       float64 `json:"low"`
	Median    float64 `json:"median"`
	High      float64 `json:"high"`
	Processes int     `json:"processes"`         // that have the stage; counts are added up over these
	Why       string  `json:"why,omitempty"`     // the number cannot be told
	Next      string  `json:"next,omitempty"`    // what to do about that; "": nothing that is known
	Absent    bool    `json:"-"`                 // for no process has the stage, or a step of it that is warm
	Fit       int     `json:"-"`                 // kernels whose name was asked for, of the whole run
	Blurred   int     `json:"blurred,omitempty"` // warm steps that are left out: they cannot be told from their neighbours

	// Steps are the counts of each warm step; nil of a time, and of processes that did not
	// do as many steps.
	Steps []int64 `json:"-"`

	blurred []bool // of the warm steps; nil: none is
}

// Measurement is what a recording came to.
type Measurement struct {
	Processes []Process // that were counted
	Stages    []Stepped // in the order in which they began
	Figures   []Figure  // of each that was asked for
}

// Stepped is a stage, of all processes together.
type Stepped struct {
	Name      string `json:"name"`
	Steps     int    `json:"steps"` // of the process that has the most
	Apart     int    `json:"apart"` // the first ones of these, that are not warm
	Processes int    `json:"processes"`
}
