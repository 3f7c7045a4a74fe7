package judge

// Verdict is what is said of an arm.
type Verdict string

// The verdicts. WinLosesQuality is of a Comparison only.
const (
	Win             Verdict = "win"
	Worse           Verdict = "worse"
	Tie             Verdict = "tie"        // a candidate for deletion
	CannotSay       Verdict = "cannot say" // More says what it would take
	WinLosesQuality Verdict = "win, but loses quality"
)

// Interval is from Low to High.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Answer is what a session says of one metric. Before the first look it has the
// verdict and the arms only. Differences are parts of the control's value: -0.03 is
// 3 % less.
type Answer struct {
	Metric  Metric  `json:"metric"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"` // one sentence, beginning lower case, without a full stop

	Ratio    float64  `json:"ratio"`    // arm to control: the median of the pairs' ratios (Hodges and Lehmann)
	Interval Interval `json:"interval"` // of the difference, at the look's part of the rule's confidence

	Control Summary `json:"control"` // with its twin
	Arm     Summary `json:"arm"`

	Floor   float64  `json:"floor"`   // how far the control can be from itself, as this session tells
	Twin    float64  `json:"twin"`    // ratio of the control's twin to the control: A/A
	TwinIn  Interval `json:"twin-in"` // of their difference, at 95 %
	Visible float64  `json:"visible"` // the smallest difference that these counts would have shown, with the rule's power
	Step    float64  `json:"step,omitempty"`

	Rounds  int            `json:"rounds"`   // complete ones that the answer is from
	Pairs   int            `json:"pairs"`    // of neighbours, the arm beside the control
	Look    int            `json:"look"`     // the one that the answer is of, from 1; 0: none was reached
	Looks   int            `json:"looks"`    // of the rule
	Left    int            `json:"left-out"` // samples of rounds that are not complete
	Thrown  map[string]int `json:"thrown,omitempty"`
	More    int            `json:"more,omitempty"`        // samples of each arm that it would take still; of CannotSay
	TooMany bool           `json:"beyond-most,omitempty"` // they are more than the rule's Most, and going on is not worth it
	Coarse  bool           `json:"coarse,omitempty"`      // of CannotSay: no number of samples will do, for the steps of the clock
	// Lopsided: far more runs of one arm were thrown out than of the other.
	Lopsided bool     `json:"lopsided,omitempty"`
	Notes    []string `json:"notes,omitempty"` // what the reader must know: two modes, a coarse clock

	next int // rounds to the look after this one; 0: none will change the answer
}

// Summary is of one arm's values.
type Summary struct {
	Samples int      `json:"samples"`
	Median  float64  `json:"median"`
	In      Interval `json:"in"`     // of the median, at 95 %, if the values were independent
	Spread  float64  `json:"spread"` // the middle half of the values, as a part of the median
}
