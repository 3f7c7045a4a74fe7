package trace

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// DeviceReport is how the times of the card were come by, and what of them is missing.
type DeviceReport struct {
	Timed
	Work    int64 `json:"work"`               // pieces that the cards did, as far as they are known
	Untied  int64 `json:"untied,omitempty"`   // of these, whose call is not known: they count where the card is busy, and in no step
	Open    int64 `json:"open,omitempty"`     // that had not ended when the recording did
	NoTimes int64 `json:"no-times,omitempty"` // records that CUPTI gave no times in
	Untimed int64 `json:"untimed,omitempty"`  // calls for which there is no work: it was dropped, lost by a kill, or not yet written
	// Twice is how long work was that came so far out of the order of its calls that what
	// else the card did by then may be counted again in Busy.
	Twice time.Duration `json:"perhaps-twice-ns,omitempty"`
	Clock Clock         `json:"clock"`
	// Early is the most that work began before the call that asked for it, which cannot be:
	// the clocks are apart by so much at least.
	Early time.Duration `json:"early-ns"`
}

// StageDevice is what one card did in the warm steps of a stage. Busy, Kernels, Copies,
// Overlap and Late are of the work that the step asked for, whenever the card did it; Idle
// is of the time from the step's beginning to its end on the host, whoever the work was for.
type StageDevice struct {
	Card    int    `json:"card"`
	Busy    Spread `json:"busy"`    // on all streams, what overlaps counted once
	Kernels Spread `json:"kernels"` // and graphs, each as a whole
	Copies  Spread `json:"copies"`  // and sets
	Overlap Spread `json:"overlap"` // of copies with kernels
	Late    Spread `json:"late"`    // of Busy: behind the step's end on the host
	Idle    Spread `json:"idle"`
	Share   Shares `json:"idle-share"`
	Total   int64  `json:"busy-total-ns"` // of all warm steps
}

// Shares are of many steps.
type Shares struct {
	N      int64   `json:"n"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"` // the 1st tenth is below it
	High   float64 `json:"high"`
}

func (t *tally) shares() Shares {
	at := func(percent int64) float64 { return float64(t.at(percent).Median) / ofShare }
	return Shares{t.sum.N, at(50), at(10), at(90)}
}

// DeviceTime is what one kernel, or one graph, took of the card.
type DeviceTime struct {
	N     int64         `json:"n"` // launches with a time
	Total time.Duration `json:"total-ns"`
	Each  Spread        `json:"each"`
}

func (t *tally) deviceTime() *DeviceTime {
	if t == nil || t.sum.N == 0 {
		return nil
	}
	return &DeviceTime{t.sum.N, time.Duration(t.sum.Total), t.spread()}
}

// noIdle takes away what a stage has that is no stretch of time.
func (s *StageReport) noIdle() {
	for i := range s.Device {
		s.Device[i].Idle, s.Device[i].Share, s.Device[i].Late = Spread{}, Shares{}, Spread{}
	}
}

func (c *cards) report(t Timed) *DeviceReport {
	if c == nil {
		return nil
	}
	w := c.file
	return &DeviceReport{Timed: t, Work: w.work, Untied: c.ties.rest(), Open: w.open, NoTimes: w.untimed, Untimed: c.untimed, Twice: c.twice, Clock: w.clock, Early: c.early}
}

// devices are the cards of a stage.
func (t *timing) devices() (list []StageDevice) {
	for _, n := range slices.Sorted(maps.Keys(t.cards)) {
		p := t.cards[n]
		list = append(list, StageDevice{
			Card: int(n), Busy: p.busy.spread(), Kernels: p.kernels.spread(), Copies: p.copies.spread(), Overlap: p.overlap.spread(),
			Late: p.late.spread(), Idle: p.idle.spread(), Share: p.shares.shares(), Total: p.busy.sum.Total,
		})
	}
	return list
}

// times gives kernels what they took of the card.
func (t *timing) times(kernels []KernelReport, n *Names) {
	by := map[string]*tally{}
	for _, id := range slices.Sorted(maps.Keys(t.kernels)) {
		symbol := n.Kernels[id].Symbol
		if by[symbol] == nil {
			by[symbol] = &tally{}
		}
		by[symbol].merge(t.kernels[id])
	}
	for i := range kernels {
		kernels[i].Device = by[kernels[i].Symbol].deviceTime()
	}
}

// byDevice are the kernels that took most of the card first.
func byDevice(kernels []KernelReport) []KernelReport {
	list := slices.DeleteFunc(slices.Clone(kernels), func(k KernelReport) bool { return k.Device == nil })
	slices.SortStableFunc(list, func(a, b KernelReport) int { return cmp.Compare(b.Device.Total, a.Device.Total) })
	return list
}
