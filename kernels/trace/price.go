package trace

import "time"

// Price is what a launch costs the thread that asks for it, and what a step would take
// if it consisted of launches alone.
//
// It is the time from one launch's entry to that of the next one on the same thread, in
// one step, without a call that waits between them: with all that the program does to
// come to the next one, CUPTI's and our share in it. A launch of a graph is one. Where the
// card is the slower one, its queue fills, launches wait in the call, and the price is the
// card's: InCall and Waited tell.
type Price struct {
	Launch    Spread        `json:"launch"`
	InCall    Spread        `json:"in-call"`
	Waited    Amount        `json:"waited"`    // launches that took Stalled times the median in the call
	Predicted Spread        `json:"predicted"` // of a step: the median of its launches x the price
	Measured  Spread        `json:"measured"`
	Rest      time.Duration `json:"rest-ns"` // what is no launch tax: measured less predicted; below 0 where threads launch at one time
	Share     float64       `json:"share"`   // predicted of measured; 0: one of them is not known
}

func priceOf(s *Stage) Price {
	p := Price{Launch: s.Gap, InCall: s.InCall, Waited: s.Waited, Measured: s.Took}
	n := s.Counts[Launches].Median + s.Counts[GraphLaunches].Median
	if s.Gap.N == 0 {
		return p
	}
	times := func(d time.Duration) time.Duration { return time.Duration(n) * d }
	p.Predicted = Spread{s.Took.N, times(s.Gap.Median), times(s.Gap.Low), times(s.Gap.High)}
	if s.Took.Median > 0 {
		p.Rest = s.Took.Median - p.Predicted.Median
		p.Share = float64(p.Predicted.Median) / float64(s.Took.Median)
	}
	return p
}
