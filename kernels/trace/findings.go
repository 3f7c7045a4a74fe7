package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Finding is something that stands out, with what shows it. It is no verdict: whether it
// should be otherwise is for who knows the program.
type Finding struct {
	Kind  string        `json:"kind"`
	Stage string        `json:"stage,omitempty"`
	Text  string        `json:"text"`
	Cost  time.Duration `json:"cost-ns,omitempty"` // of host time, a step

	ofProcess bool // as a whole, and of no stage
	rank      int  // 0: the recording itself; 1: memory that grows; 2: what has a cost; 3: the rest; 4: hints
}

// findings are what stands out of a process.
func findings(p *ProcessReport) []Finding {
	list := troubles(p)
	for i := range p.Stages {
		s := &p.Stages[i]
		list = slices.Concat(list, growth(s), waits(s), stalls(s), chained(s), alike(s), uneven(p, s))
	}
	list = slices.Concat(list, kept(p), unsure(p), replayed(p), audited(p), nested(p), hints(p))
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.Cost, a.Cost))
	})
	return list
}

// troubles are what the recording lacks.
func troubles(p *ProcessReport) (list []Finding) {
	add := func(kind, text string, values ...any) {
		list = append(list, Finding{Kind: kind, Text: fmt.Sprintf(text, values...), ofProcess: true})
	}
	if p.State == Refused {
		add("not-counted", "nothing was counted: %s", cmp.Or(p.Why, "CUPTI does not attach"))
		return list
	}
	if p.State == Unreadable {
		add("not-counted", "its recording cannot be read, and what it asked for is in no count here: %s", p.Why)
		return list
	}
	if p.State == Attached && p.Why != "" && p.Dropped == 0 {
		add("partial", "not all was recorded: %s", p.Why)
	}
	if p.State == Made {
		add("not-counted", "it ended while CUPTI was being attached: what it did before is not counted")
	}
	if p.Dropped > 0 {
		add("dropped", "%s found no room on the disk: all counts are too low; free some and trace again", many(int64(p.Dropped), "event"))
	}
	if !p.Clean {
		add("killed", "%s: the counts go up to there, and are exact", p.cut())
	}
	for i := range p.Stages {
		if f, is := p.Stages[i].blur(p.lines); is {
			list = append(list, f)
		}
	}
	if n := p.Whole[Failures]; n > 0 {
		list = append(list, Finding{Kind: "failed-calls", Text: many(n, "call") + " gave an error, and " + isAre(n) + " counted nowhere else", rank: 3, ofProcess: true})
	}
	return list
}

// cut says how a process may have ended that did not come to its own end: of the program
// itself it is known whether that was a signal.
func (p *ProcessReport) cut() string {
	switch {
	case p.run == nil || p.run.Ended.IsZero():
		return "it was ended by a signal or by _exit, or still ran when this was read"
	case p.run.PID != p.PID:
		return "it was ended by a signal or by _exit, or ran on when the program had ended"
	case p.run.Signal == "":
		return fmt.Sprintf("it ended by itself, with exit status %d, by _exit or exec and not by exit or from main", p.run.Code)
	}
	return "it was ended by " + p.run.Signal
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// steady says whether a stage comes again and again, so that what its steps do counts.
func steady(s *StageReport) bool { return !s.once() && s.Warm() > 1 }

// growth is memory that warm steps ask for.
func growth(s *StageReport) (list []Finding) {
	for _, c := range s.Memory {
		if !steady(s) || !strings.HasPrefix(c.Call, "cuMemAlloc") && c.Call != "cuMemCreate" {
			continue
		}
		list = append(list, Finding{Kind: "allocation-in-step", Stage: s.Name, rank: 2, Cost: c.Took / time.Duration(s.Warm()), Text: fmt.Sprintf(
			"%s: %s by %s in %s, %s together; %s in the calls", s.Label(), many(c.N, "allocation"), c.Call, warmSteps(s), size(c.Bytes), short(c.Took))})
	}
	return list
}

func warmSteps(s *StageReport) string { return many(int64(s.Warm()), "warm step") }

// waits are calls that stop the thread until the card is there.
func waits(s *StageReport) (list []Finding) {
	for _, c := range s.Waits {
		if !steady(s) {
			continue
		}
		a := c.Took / time.Duration(s.Warm())
		list = append(list, Finding{Kind: "wait-in-step", Stage: s.Name, Cost: a, rank: 2, Text: fmt.Sprintf(
			"%s: %s waits for the card, %s a step: %s a step in the call, %s at the longest", s.Label(), c.Call, oftenAStep(c.N, s.Warm()), short(a), short(c.Longest))})
	}
	return list
}

// oftenAStep is how often a step something came.
func oftenAStep(n int64, steps int) string {
	if n == int64(steps) {
		return "once"
	}
	return perStep(n, steps) + " times"
}

// stalls are launches that took far longer than the others.
func stalls(s *StageReport) []Finding {
	w := s.Price.Waited
	if w.N == 0 {
		return nil
	}
	return []Finding{{Kind: "launch-waited", Stage: s.Name, Cost: w.Took / time.Duration(s.Warm()), rank: 2, Text: fmt.Sprintf(
		"%s: %s of %d took %d times the median of %s and more, %s together: the card's queue was full, or something was loaded",
		s.Label(), many(w.N, "launch"), s.Price.InCall.N, Stalled, short(s.Price.InCall.Median), short(w.Took))}}
}

// chainsTold is how many of a stage's are told of beside the JSON.
const chainsTold = 3

func chained(s *StageReport) (list []Finding) {
	cut := ""
	if s.Cut {
		cut = fmt.Sprintf(" (of the first %d calls of the step; the others were not looked at)", tapeMost)
	}
	for _, c := range s.Chains[:min(len(s.Chains), chainsTold)] {
		if c.Launches() < 2*chainRepeats && len(c.Links) > 1 {
			continue
		}
		var links []called
		for _, l := range c.Links {
			links = append(links, called{l.Name, l.Name})
		}
		names := fitApart(links, func(int) int { return 48 })
		what, calls := fmt.Sprintf("a chain of %d comes %d times in a row", len(c.Links), c.Longest), "launch"
		if len(c.Links) == 1 {
			what = fmt.Sprintf("one kernel in one shape comes %d times in a row", c.Longest)
		}
		if slices.ContainsFunc(c.Links, func(l Link) bool { return l.Grid[0] == 0 }) {
			calls = "call" // copies and sets have no shape
			if len(c.Links) == 1 {
				what = fmt.Sprintf("one call comes %d times in a row", c.Longest)
			}
		}
		if c.Places > 1 {
			what += fmt.Sprintf(" at most, %d times in %d places", c.Repeats, c.Places)
		}
		list = append(list, Finding{Kind: "chain", Stage: s.Name, Cost: c.Cost, rank: 2, Text: fmt.Sprintf(
			"%s: %s: %s%s, x price %s; could be batched or fused: %s%s",
			s.Label(), what, many(c.Launches(), calls), s.aStep(), short(c.Cost), strings.Join(names, ", "), cut)})
	}
	return list
}

// alikeMost is from how many launches a step on one kernel in one shape stands out.
const alikeMost = 16

// alike is the kernel that comes most often in one shape, where it is in no chain.
func alike(s *StageReport) []Finding {
	for _, k := range s.Kernels {
		top := k.Shapes[0]
		if top.Launches < int64(alikeMost*s.Warm()) || inChain(s, k.Name) {
			continue
		}
		return []Finding{{Kind: "same-shape", Stage: s.Name, rank: 2, Cost: time.Duration(top.Launches) * s.Price.Launch.Median / time.Duration(s.Warm()), Text: fmt.Sprintf(
			"%s: %s is launched %s%s in one shape, %s, with others between", s.Label(), fit(k.Name, 60), oftenAStep(top.Launches, s.Warm()), s.aStep(), shape(top.Grid, top.Block, top.Shared))}}
	}
	return nil
}

// aStep follows a number where there are steps.
func (s *StageReport) aStep() string {
	if s.once() {
		return ""
	}
	return " a step"
}

func inChain(s *StageReport, name string) bool {
	return slices.ContainsFunc(s.Chains, func(c Chain) bool {
		return slices.ContainsFunc(c.Links, func(l Link) bool { return l.Name == name })
	})
}

// uneven are counts that are not the same in each step.
func uneven(p *ProcessReport, s *StageReport) []Finding {
	var differ []string
	for _, q := range []Quantity{Launches, GraphLaunches, Copies, Syncs, Allocs} {
		if e := s.Counts[q]; steady(s) && !e.Same() {
			differ = append(differ, q.String()+" "+ranged(q, e))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s: the warm steps are not alike: %s", s.Label(), strings.Join(differ, ", "))
	if p.By == "line" {
		text += "; a line of output that comes early or late moves calls from one step to the next"
	}
	return []Finding{{Kind: "uneven", Stage: s.Name, Text: text, rank: 3}}
}
