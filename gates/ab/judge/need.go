package judge

import "math"

// visibleAt is the smallest difference that would be found with the rule's power
// after so many rounds, if the machine goes on as it was. At the look that the
// evidence is of, the floor is the one that was found; at a later one it is what it
// will be: the interval of the twins, off its middle by what chance does.
func (e evidence) visibleAt(at look) float64 {
	shrink := math.Sqrt(float64(e.at.rounds) / float64(at.rounds))
	pairs, twins := e.pairs.err*shrink, e.twins.err*shrink
	floor := e.floor
	if at.number != e.at.number {
		floor = max(e.bars.floor, e.twinsOff()+(twinZ+meanAbs)*twins, e.seedPart()*shrink)
	}
	// The floor's own error is that of the twins' centre, on one side of it.
	errs := math.Hypot(pairs, absSpread*twins)
	return max(at.z*pairs+e.readings.bias, floor, e.bars.least) + quantile(e.rule.Power)*errs
}

// The mean and the standard deviation of the absolute value of a normal variable.
const (
	meanAbs   = 0.798
	absSpread = 0.603
)

// twinsOff is by how much the twins surely differ, which more rounds do not change.
func (e evidence) twinsOff() float64 {
	if e.twins.sure() {
		return math.Abs(e.twins.centre)
	}
	return 0
}

// seedPart is the floor that the seeds make, where it is the highest.
func (e evidence) seedPart() float64 {
	if v := e.readings.seedFloor(); v >= e.floor {
		return v
	}
	return 0
}

// need says how many rounds it will take to find what is sought, and whether the
// rule has that many. The looks are all of the rule.
func (e evidence) need(looks []look) (rounds int, enough bool) {
	for _, at := range looks[e.at.number:] {
		if e.visibleAt(at) <= e.bars.seek && (!e.metric.Quality || at.rounds >= e.rule.Seeds) {
			return at.rounds, true
		}
	}
	last := looks[len(looks)-1]
	times := math.Pow(max(e.visibleAt(last), 1.1*e.bars.seek)/e.bars.seek, 2)
	rounds = int(min(math.Ceil(float64(last.rounds)*times), 1e9))
	if e.metric.Quality {
		rounds = max(rounds, e.rule.Seeds)
	}
	return rounds, false
}

// hopeful is whether going on to the rule's last look may show what there is, though
// it seems to be too little for what is sought: the difference may be larger than
// that, and what few rounds say of the spread is rough (3 stands for twice its
// relative error, with the long tails that these spreads have).
func (e evidence) hopeful(looks []look) bool {
	last := looks[len(looks)-1]
	if e.metric.Quality && last.rounds < e.rule.Seeds {
		return false
	}
	rough := 1 + 3/math.Sqrt(float64(e.at.rounds))
	return e.at.number < last.number && e.visibleAt(last) <= rough*max(e.bars.seek, e.pairs.far())
}

// coarse is whether the clock's steps hide what is sought, however many samples there are:
// what they can put a difference off by does not fall with their number. A difference that
// is larger than that may be seen still.
func (e evidence) coarse() bool {
	return e.readings.bias >= e.bars.seek && math.Abs(e.pairs.centre) <= e.readings.bias
}
