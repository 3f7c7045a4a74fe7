package trace

import (
	"slices"
	"time"
)

// AB is a run of a program that launches CUDA graphs, A, beside one with graphs switched
// off, B. It is no verdict: what differs between two runs may differ between any two.
type AB struct {
	Type   string     `json:"type"`   // always "trace-ab"
	Switch []string   `json:"switch"` // what B was given: variables, and arguments
	Effect Effect     `json:"effect"`
	Why    string     `json:"why,omitempty"` // of NotRun
	A      ABSide     `json:"a"`
	B      ABSide     `json:"b"`
	Stages []ABStage  `json:"stages,omitempty"`
	Graphs []ABGraph  `json:"graphs,omitempty"` // of A, those that took longest together first
	Output *LinesAB   `json:"output,omitempty"` // of stdout; nil: it was not held against each other
	Files  []FileAB   `json:"files,omitempty"`
	Diff   Difference `json:"diff"`
}

// Effect is what the switch did.
type Effect string

// The effects.
const (
	SwitchedOff Effect = "off"     // B launches no graph
	Fewer       Effect = "fewer"   // B launches some
	NoEffect    Effect = "none"    // B launches as many as A, or more
	Nothing     Effect = "nothing" // B launches no kernel either
	NotRun      Effect = "not-run" // there is no B
)

// ABSide is one of the two, all of its processes together.
type ABSide struct {
	Dir           string `json:"dir"`
	Code          int    `json:"code"`
	Signal        string `json:"signal,omitempty"`
	Launches      int64  `json:"launches"`
	GraphLaunches int64  `json:"graph-launches"`
	GraphKernels  int64  `json:"graph-kernels"` // in the graphs that were launched
	Why           string `json:"why,omitempty"` // nothing was counted
}

// ABStage is a stage that both have.
type ABStage struct {
	Command string     `json:"command"`
	Name    string     `json:"name"`
	A       ABCost     `json:"a"`
	B       ABCost     `json:"b"`
	Step    TimeChange `json:"step"` // how long a step took; N is 0 where that is not known
	label   string
}

// ABCost is what a warm step costs the host.
type ABCost struct {
	Steps         int           `json:"warm-steps"`
	Launches      Each          `json:"launches"`
	GraphLaunches Each          `json:"graph-launches"`
	GraphKernels  Each          `json:"graph-kernels"`
	InCalls       time.Duration `json:"in-calls-ns"` // in calls that do not wait for the card, on average
	Price         Spread        `json:"price"`       // of a launch
	Predicted     Spread        `json:"predicted"`   // launches x price
}

// ABGraph is a graph of A beside what its kernels cost one by one in B.
type ABGraph struct {
	Command  string        `json:"command"`
	Number   uint32        `json:"number"`
	Kernels  int           `json:"kernels"`
	Replay   Spread        `json:"replay"`
	Price    Spread        `json:"price"`         // of a launch in B, in the stage with most of them
	OneByOne time.Duration `json:"one-by-one-ns"` // kernels x price; 0: the price is not known
}

// Beside holds two reports against each other: of the run with graphs, and of that without.
func Beside(a, b Report) AB {
	ab := AB{Type: "trace-ab", A: abSide(a), B: abSide(b), Diff: Diff(a, b), Effect: Fewer}
	switch {
	case ab.B.GraphLaunches+ab.B.Launches == 0:
		ab.Effect = Nothing
	case ab.B.GraphLaunches == 0:
		ab.Effect = SwitchedOff
	case ab.B.GraphLaunches >= ab.A.GraphLaunches:
		ab.Effect = NoEffect
	}
	rest := slices.Clone(b.Processes)
	for i := range a.Processes {
		p := &a.Processes[i]
		at := slices.IndexFunc(rest, func(o ProcessReport) bool { return o.Command == p.Command })
		if at < 0 {
			continue // the difference says so
		}
		ab.process(p, &rest[at])
		rest = slices.Delete(rest, at, at+1)
	}
	return ab
}

func abSide(r Report) ABSide {
	s := ABSide{Dir: r.Dir, Why: r.Uncounted()}
	if r.Run != nil {
		s.Code, s.Signal = r.Run.Code, r.Run.Signal
	}
	for _, p := range r.Processes {
		s.Launches += p.Whole[Launches]
		s.GraphLaunches += p.Whole[GraphLaunches]
		s.GraphKernels += p.Whole[GraphKernels]
	}
	return s
}

func (ab *AB) process(a, b *ProcessReport) {
	for i := range a.Stages {
		s := &a.Stages[i]
		at := slices.IndexFunc(b.Stages, func(o StageReport) bool { return o.Name == s.Name })
		if at < 0 {
			continue
		}
		o := &b.Stages[at]
		one := ABStage{Command: a.Command, Name: s.Name, A: costOf(s), B: costOf(o), label: s.Label()}
		one.Step = TimeChange{What: "step", A: s.Took, B: o.Took, Differs: s.Took.N > 1 && o.Took.N > 1 && !s.Took.Meets(o.Took)}
		ab.Stages = append(ab.Stages, one)
	}
	price := b.commonPrice()
	for _, g := range a.Graphs {
		one := ABGraph{Command: a.Command, Number: g.Number, Kernels: g.Nodes.Kernels, Replay: g.Times, Price: price}
		one.OneByOne = time.Duration(one.Kernels) * price.Median
		ab.Graphs = append(ab.Graphs, one)
	}
}

// commonPrice is that of a launch in the stage that has most of them.
func (p *ProcessReport) commonPrice() (price Spread) {
	most := int64(0)
	for _, s := range p.Stages {
		if n := s.Total[Launches]; n > most && s.Price.Launch.N > 0 {
			most, price = n, s.Price.Launch
		}
	}
	return price
}

func costOf(s *StageReport) ABCost {
	c := ABCost{
		Steps: s.Warm(), Launches: s.Counts[Launches], GraphLaunches: s.Counts[GraphLaunches], GraphKernels: s.Counts[GraphKernels],
		Price: s.Price.Launch, Predicted: s.Price.Predicted,
	}
	host := time.Duration(s.Counts[HostNS].Total)
	for _, w := range s.Waits {
		host -= w.Took
	}
	c.InCalls = max(0, host) / time.Duration(max(1, c.Steps))
	return c
}
