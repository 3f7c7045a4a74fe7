package trace

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Each is what every one of some steps has of something.
type Each struct {
	N      int64 `json:"n"` // steps
	Low    int64 `json:"low"`
	Median int64 `json:"median"`
	High   int64 `json:"high"`
	Total  int64 `json:"total"`
	// About says that there were too many different numbers to hold: the median is right
	// to a thousandth. The others always are exact.
	About bool `json:"about,omitempty"`
}

// Same says that each has as many.
func (e Each) Same() bool { return e.Low == e.High }

// different is how many different numbers a tally holds before it rounds them. Counts
// have few, times as many as there are steps.
const different = 2048

// tally collects numbers of which there may be millions, and holds each one once.
type tally struct {
	sum       Each
	times     map[int64]int64
	last      int64 // the number that came last, so often, not in the map yet
	lastTimes int64
}

func (t *tally) add(v int64) {
	if t.sum.N == 0 {
		t.sum.Low, t.sum.High, t.last = v, v, v
	}
	t.sum.N++
	t.sum.Total += v
	if v == t.last {
		t.lastTimes++
		return
	}
	t.sum.Low, t.sum.High = min(t.sum.Low, v), max(t.sum.High, v)
	t.flush()
	t.last, t.lastTimes = v, 1
}

func (t *tally) flush() {
	if t.times == nil {
		t.times = map[int64]int64{}
	}
	if len(t.times) >= different && !t.sum.About {
		t.sum.About = true
		for v, n := range maps.Clone(t.times) {
			delete(t.times, v)
			t.times[rounded(v)] += n
		}
	}
	v := t.last
	if t.sum.About {
		v = rounded(v)
	}
	t.times[v] += t.lastTimes
	t.lastTimes = 0
}

// rounded keeps the first ten binary digits.
func rounded(v int64) int64 {
	drop := max(0, bits.Len64(uint64(max(v, 0)))-10)
	return v >> drop << drop
}

// merge takes in what another one has.
func (t *tally) merge(o *tally) {
	if o.sum.N == 0 {
		return
	}
	o.flush()
	if t.sum.N == 0 {
		t.sum.Low, t.sum.High = o.sum.Low, o.sum.High
	}
	t.sum.Low, t.sum.High = min(t.sum.Low, o.sum.Low), max(t.sum.High, o.sum.High)
	t.sum.N, t.sum.Total = t.sum.N+o.sum.N, t.sum.Total+o.sum.Total
	t.flush()
	for v, n := range o.times {
		t.last, t.lastTimes = v, n
		t.flush()
	}
}

// each is what it comes to.
func (t *tally) each() Each { return t.at(50) }

// at gives the number below or at which so many of a hundred are, as the median.
func (t *tally) at(percent int64) Each {
	e := t.sum
	if e.N == 0 || e.Same() {
		e.Median = e.Low
		return e
	}
	t.flush()
	rank := (e.N*percent + 99) / 100
	for _, v := range slices.Sorted(maps.Keys(t.times)) {
		if rank -= t.times[v]; rank <= 0 {
			e.Median = min(max(v, e.Low), e.High)
			break
		}
	}
	return e
}

// above is how many are larger.
func (t *tally) above(limit int64) (n int64) {
	t.flush()
	for v, times := range t.times {
		if v > limit {
			n += times
		}
	}
	return n
}

// Spread is of many times. The zero value is of none.
type Spread struct {
	N      int64         `json:"n"`
	Median time.Duration `json:"median-ns"`
	Low    time.Duration `json:"low-ns"` // the 1st tenth is below it
	High   time.Duration `json:"high-ns"`
}

// spread reads it off a tally.
func (t *tally) spread() Spread {
	at := func(percent int64) time.Duration { return time.Duration(t.at(percent).Median) }
	return Spread{t.sum.N, at(50), at(10), at(90)}
}

// Meets says whether two have a time in common.
func (s Spread) Meets(o Spread) bool { return s.Low <= o.High && o.Low <= s.High }

// longest is what a single time may be and count: above that somebody slept.
const longest = int64(10 * time.Second)

// times collects those of single calls, of which there are many more than of steps, right
// to a hundredth.
type times struct{ h *hdrhistogram.Histogram }

func (t *times) add(d time.Duration) {
	if t.h == nil {
		t.h = hdrhistogram.New(1, longest, 2)
	}
	_ = t.h.RecordValue(min(max(1, int64(d)), longest))
}

func (t *times) merge(o times) {
	if o.h == nil {
		return
	}
	if t.h == nil {
		t.h = hdrhistogram.New(1, longest, 2)
	}
	t.h.Merge(o.h)
}

func (t *times) spread() Spread {
	if t.h == nil {
		return Spread{}
	}
	at := func(q float64) time.Duration { return time.Duration(t.h.ValueAtQuantile(q)) }
	return Spread{t.h.TotalCount(), at(50), at(10), at(90)}
}

// above is how many are longer, and how long together.
func (t *times) above(limit time.Duration) (n int64, sum time.Duration) {
	if t.h == nil {
		return 0, 0
	}
	for _, bar := range t.h.Distribution() {
		if bar.Count > 0 && bar.From > int64(limit) {
			n += bar.Count
			sum += time.Duration(bar.Count * (bar.From + bar.To) / 2)
		}
	}
	return n, sum
}
