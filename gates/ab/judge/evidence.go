package judge

import "math"

// evidence is what the rounds up to a look show, on the scale of the readings.
type evidence struct {
	metric   Metric
	rule     Rule
	at       look
	readings readings
	bars     bars
	pairs    finding
	twins    finding
	floor    float64
}

// finding is what differences show of their centre.
type finding struct {
	centre    float64
	low, high float64
	above     bool    // it is surely above 0
	below     bool    // or below
	err       float64 // standard error of the centre
}

func (f finding) sure() bool { return f.above || f.below }

// far is the end of the interval that is further from 0.
func (f finding) far() float64 { return max(math.Abs(f.low), math.Abs(f.high)) }

// find asks the interval of the kth averages, which has its ends z standard errors
// from the centre, and puts them off by what a clock can.
func (w walsh) find(k int, z, bias float64) finding {
	f := finding{centre: w.centre()}
	low, high := w.within(k)
	f.err = (high - low) / 2 / z
	f.low, f.high = low-bias, high+bias
	f.above, f.below = w.surely(k, bias)
	return f
}

// surely is whether the centre is beyond v from 0, on either side. Averages at v
// itself speak against it, so that differences that are equal or 0 do no harm.
func (w walsh) surely(k int, v float64) (above, below bool) {
	if k == 0 {
		return false, false
	}
	notAbove := w.upTo(v)
	under := w.upTo(math.Nextafter(-v, math.Inf(-1)))
	return notAbove < k, w.averages()-under < k
}

// bars are what a difference is held against, on the scale of the readings.
type bars struct {
	least, seek, floor float64 // the floor is the metric's own
}

// bars are those of a metric under its rule. What is to be found lies beyond a floor
// that was declared.
func (s scale) bars(m Metric, r Rule) bars {
	on := func(part float64) float64 {
		if s.unit == 0 {
			return math.Log1p(part)
		}
		return part
	}
	b := bars{on(r.Least), on(r.Seek), on(m.Floor)}
	b.seek = max(b.seek, b.floor+b.least)
	return b
}

// gather looks at a metric of the first rounds, as many as the look has. The error
// is an ErrSample.
func gather(plan Plan, m Metric, r Rule, at look, rounds []round) (evidence, error) {
	got, err := m.read(plan, rounds[:at.rounds])
	if err != nil {
		return evidence{}, err
	}
	e := evidence{metric: m, rule: r, at: at, readings: got, bars: got.scale.bars(m, r)}
	e.pairs = newWalsh(got.pairs).find(at.critical, at.z, got.bias)
	twins := newWalsh(got.twins)
	e.twins = twins.find(at.twinCritical, twinZ, 0)
	e.twins.above, e.twins.below = twins.surely(at.twinSure, 0)
	e.floor = max(e.twins.far(), e.bars.floor)
	if m.Quality {
		e.floor = max(e.floor, got.seedFloor())
	}
	return e, nil
}

// twinZ is half the width of the twins' interval, in standard errors: the normal
// distribution's for twinDoubt.
const twinZ = 1.96

// seedFloor is how far the control's centre moves, within 95 %, when all its seeds
// are others.
func (r readings) seedFloor() float64 {
	spread := quartiles(r.seeds) / 1.349
	return twinZ * spread * math.Sqrt(2/float64(len(r.seeds)))
}

// beyond is whether the difference is above the floor and worth having.
func (e evidence) beyond() bool {
	size := math.Abs(e.pairs.centre)
	return size > e.floor && size >= e.bars.least
}

// decide gives the verdict, and false where more samples may still say.
func (e evidence) decide() (v Verdict, decided bool) {
	switch {
	case e.metric.Quality && e.readings.seedCount < e.rule.Seeds:
		return CannotSay, false
	case e.pairs.sure() && e.beyond():
		if e.metric.better(e.pairs.centre) {
			return Win, true
		}
		return Worse, true
	case e.pairs.far() < e.bars.seek,
		e.twins.sure() && e.pairs.far() <= e.floor,
		e.twins.sure() && e.pairs.sure(): // inside a floor that does not fall
		return Tie, true
	}
	return CannotSay, false
}
