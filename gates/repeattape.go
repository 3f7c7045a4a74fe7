package gates

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"gpuci/gates/metric"
)

// tapeRoom bounds what is kept of the numbers of all runs of a gate, in bytes. What
// goes beyond it is compared by its sum and its extremes alone.
const tapeRoom = 64 << 20

// sampleCost is what a number costs beside its text: two headers and the value.
const sampleCost = 32

// tape is the numbers of one run, by metric and labels, in the order in which they
// came. It is not safe for concurrent use.
type tape struct {
	tracks map[trackName]*track
	order  []trackName
	room   int // bytes that may still be kept
}

type trackName struct{ metric, labels string }

// track is one series of one run.
type track struct {
	count     int
	low, high float64
	texts     []string  // as printed
	values    []float64 // the same
	cut       bool      // not all are in texts and values
	sum       [2]uint64 // over all texts, whatever their order
}

func newTape(runs int) *tape {
	return &tape{tracks: make(map[trackName]*track), room: tapeRoom / max(1, runs)}
}

func (t *tape) add(s metric.Sample) {
	name := trackName{s.Metric, s.Series()}
	tr := t.tracks[name]
	if tr == nil {
		if t.room -= len(name.labels) + 4*sampleCost; t.room < 0 {
			name = trackName{metric: s.Metric} // a label with a number in it: all in one
			tr = t.tracks[name]
		}
	}
	if tr == nil {
		tr = &track{low: s.Value, high: s.Value}
		t.tracks[name] = tr
		t.order = append(t.order, name)
	}
	tr.count++
	tr.low, tr.high = min(tr.low, s.Value), max(tr.high, s.Value)
	sum := sha256.Sum256([]byte(s.Text))
	tr.sum[0] += binary.LittleEndian.Uint64(sum[:])
	tr.sum[1] += binary.LittleEndian.Uint64(sum[8:])
	if t.room -= len(s.Text) + sampleCost; t.room < 0 {
		tr.cut = true
		return
	}
	tr.texts, tr.values = append(tr.texts, s.Text), append(tr.values, s.Value)
}

// seriesOf are the series of any of the runs, in the order in which they came.
func seriesOf(tapes []*tape) (all []trackName) {
	seen := make(map[trackName]bool)
	for _, t := range tapes {
		for _, name := range t.order {
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}

// spreadOf is (max - min) / |median|; 0 where all are alike, infinite where the
// median is 0 and they are not.
func spreadOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 || sorted[0] == sorted[n-1] {
		return 0
	}
	median := sorted[n/2]
	if n%2 == 0 {
		median = sorted[n/2-1]/2 + sorted[n/2]/2
	}
	if median == 0 {
		return math.Inf(1)
	}
	return (sorted[n-1] - sorted[0]) / math.Abs(median)
}
