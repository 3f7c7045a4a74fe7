package trace

import (
	"slices"
)

// Difference is what is not the same in two recordings. Counts are exact, and of warm
// steps; of times it says only whether their spreads meet.
type Difference struct {
	Type      string              `json:"type"` // always "trace-diff"
	A         Side                `json:"a"`
	B         Side                `json:"b"`
	Stage     string              `json:"stage,omitempty"`  // what [Difference.Only] was asked for
	Same      bool                `json:"same"`             // all counts are
	Unsure    bool                `json:"unsure,omitempty"` // whether they are: what differs is of steps that cannot be told from their neighbours
	Processes []ProcessDifference `json:"processes"`
}

// Side is one of two recordings.
type Side struct {
	Dir     string   `json:"dir"`
	Lane    string   `json:"lane,omitempty"`
	Commit  string   `json:"commit,omitempty"`
	Command []string `json:"command,omitempty"`
	Missing []string `json:"missing,omitempty"` // as of a [Report]
}

// Only says that something is in one of two alone.
type Only string

// The sides.
const (
	Both  Only = ""
	OnlyA Only = "a"
	OnlyB Only = "b"
)

// ProcessDifference is of two processes of one name, the first with the first.
type ProcessDifference struct {
	Command string            `json:"command"`
	Only    Only              `json:"only,omitempty"`
	Refused Only              `json:"not-counted,omitempty"` // which was not; where neither was, nothing differs
	Stages  []StageDifference `json:"stages,omitempty"`
	UnsureA int64             `json:"unsure-graph-launches-a,omitempty"` // of which it is not known how many nodes ran
	UnsureB int64             `json:"unsure-graph-launches-b,omitempty"`
	neither bool              // was counted
}

// StageDifference is of two stages of one name.
type StageDifference struct {
	Name    string         `json:"name"`
	Only    Only           `json:"only,omitempty"`
	StepsA  int            `json:"warm-steps-a"`
	StepsB  int            `json:"warm-steps-b"`
	BlurA   int            `json:"blurred-steps-a,omitempty"` // as of a [StageReport]
	BlurB   int            `json:"blurred-steps-b,omitempty"`
	Counts  []CountChange  `json:"counts,omitempty"`
	Kernels []KernelChange `json:"kernels,omitempty"` // the largest change first
	Kept    []KeptChange   `json:"kept,omitempty"`
	Times   []TimeChange   `json:"times,omitempty"` // also those that do not differ
	price   Spread         // A's
	label   string
	once    bool // it is no stage of steps
}

// same says whether its counts are.
func (d *StageDifference) same() bool {
	return d.Only == Both && len(d.Counts)+len(d.Kernels)+len(d.Kept) == 0
}

// unsure says that its counts differ, and that some of them may be of the stage or step
// beside.
func (d *StageDifference) unsure() bool { return !d.same() && d.BlurA+d.BlurB > 0 }

// CountChange is a count of a step that is not the same.
type CountChange struct {
	Quantity Quantity `json:"quantity"`
	A        Each     `json:"a"`
	B        Each     `json:"b"`
}

// KernelChange is a kernel that is launched more often a step or less, or in other shapes.
type KernelChange struct {
	Name     string `json:"name"`
	Symbol   string `json:"symbol"`
	Only     Only   `json:"only,omitempty"`
	A        int64  `json:"launches-a"` // in all warm steps
	B        int64  `json:"launches-b"`
	Reshaped bool   `json:"reshaped,omitempty"` // as often, in other shapes
}

// KeptChange is memory of a call that was not released.
type KeptChange struct {
	Call   string `json:"call"`
	NA     int64  `json:"n-a"`
	NB     int64  `json:"n-b"`
	BytesA int64  `json:"bytes-a"`
	BytesB int64  `json:"bytes-b"`
}

// TimeChange is a time in both.
type TimeChange struct {
	What    string `json:"what"` // "step", "price", "in-call", "device", or "device of card N" of several
	A       Spread `json:"a"`
	B       Spread `json:"b"`
	Differs bool   `json:"differs"`           // eight tenths of one are all longer than eight tenths of the other
	Few     bool   `json:"too-few,omitempty"` // to tell: fewer than Least or, of launches, LeastLaunches
}

// Least is how many steps a side must have for a difference of times to be told. That all
// of five are longer than all of another five happens by chance in 1 of 126 cases, and of
// two and two in 1 of 3. Launches of one step hang together: there must be more.
const (
	Least         = 5
	LeastLaunches = 20
)

// Diff holds two reports against each other.
func Diff(a, b Report) Difference {
	d := Difference{Type: "trace-diff", A: sideOf(a), B: sideOf(b)}
	rest := slices.Clone(b.Processes)
	for i := range a.Processes {
		p := &a.Processes[i]
		at := slices.IndexFunc(rest, func(o ProcessReport) bool { return o.Command == p.Command })
		if at < 0 {
			d.Processes = append(d.Processes, ProcessDifference{Command: p.Command, Only: OnlyA})
			continue
		}
		d.Processes = append(d.Processes, diffProcess(p, &rest[at]))
		rest = slices.Delete(rest, at, at+1)
	}
	for _, p := range rest {
		d.Processes = append(d.Processes, ProcessDifference{Command: p.Command, Only: OnlyB})
	}
	d.settle()
	return d
}

// settle says whether all is the same, or may be.
func (d *Difference) settle() {
	differs := func(sure bool) bool {
		return slices.ContainsFunc(d.Processes, func(p ProcessDifference) bool {
			return p.Only != Both || p.Refused != Both || slices.ContainsFunc(p.Stages, func(s StageDifference) bool { return !s.same() && (!sure || !s.unsure()) })
		})
	}
	d.Same = !differs(false)
	d.Unsure = !d.Same && !differs(true)
}

func sideOf(r Report) Side {
	s := Side{Dir: r.Dir, Missing: r.Missing}
	if r.Run != nil {
		s.Lane, s.Commit, s.Command = r.Run.Lane, r.Run.Commit, r.Run.Command
	}
	return s
}

func diffProcess(a, b *ProcessReport) ProcessDifference {
	d := ProcessDifference{Command: a.Command}
	switch noA, noB := !a.counted(), !b.counted(); {
	case noA && noB:
		d.neither = true
		return d
	case noA:
		d.Refused = OnlyA
		return d
	case noB:
		d.Refused = OnlyB
		return d
	}
	d.UnsureA, d.UnsureB = a.unsureLaunches(), b.unsureLaunches()
	rest := slices.Clone(b.Stages)
	for i := range a.Stages {
		s := &a.Stages[i]
		at := slices.IndexFunc(rest, func(o StageReport) bool { return o.Name == s.Name })
		if at < 0 {
			d.Stages = append(d.Stages, StageDifference{Name: s.Name, Only: OnlyA, StepsA: s.Warm(), BlurA: s.Blurred, label: s.Label(), once: s.once()})
			continue
		}
		one := diffStage(s, &rest[at])
		one.Kept = diffKept(a, b, s, &rest[at])
		d.Stages = append(d.Stages, one)
		rest = slices.Delete(rest, at, at+1)
	}
	for _, s := range rest {
		d.Stages = append(d.Stages, StageDifference{Name: s.Name, Only: OnlyB, StepsB: s.Warm(), BlurB: s.Blurred, label: s.Label(), once: s.once()})
	}
	return d
}

func diffStage(a, b *StageReport) StageDifference {
	d := StageDifference{Name: a.Name, StepsA: a.Warm(), StepsB: b.Warm(), BlurA: a.Blurred, BlurB: b.Blurred, price: a.Price.Launch, label: a.Label(), once: a.once()}
	for q := range quantities {
		if x, y := a.Counts[q], b.Counts[q]; q.exact() && unlike(x, y) {
			d.Counts = append(d.Counts, CountChange{q, x, y})
		}
	}
	d.Kernels = diffKernels(a, b)
	times := []TimeChange{{What: "step", A: a.Took, B: b.Took}, {What: "price", A: a.Price.Launch, B: b.Price.Launch}, {What: "in-call", A: a.Price.InCall, B: b.Price.InCall}}
	for _, t := range append(times, deviceTimes(a, b)...) {
		if least := min(t.A.N, t.B.N); least == 0 || least == 1 && t.What != "step" && !t.ofCard() {
			continue
		}
		d.Times = append(d.Times, t.judged())
	}
	return d
}

// judged says whether two spreads tell anything, and what.
func (t TimeChange) judged() TimeChange {
	least := int64(Least)
	if t.What == "price" || t.What == "in-call" {
		least = LeastLaunches
	}
	t.Few = min(t.A.N, t.B.N) < least
	t.Differs = !t.Few && !t.A.Meets(t.B)
	return t
}

// unlike says whether two counts differ. Where a count is not the same in each step, and
// there are not as many steps, the total tells nothing.
func unlike(a, b Each) bool {
	if a.Low != b.Low || a.High != b.High || a.Median != b.Median && !a.About && !b.About {
		return true
	}
	return a.N == b.N && a.Total != b.Total
}
