package metric

import (
	"maps"
	"slices"
)

// Series is what was read of one metric under one set of labels.
type Series struct {
	Labels string  `json:"labels,omitempty"` // Sample.Series
	Count  int     `json:"count"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Last   float64 `json:"last"`
}

// maxSeries bounds the sets of labels that a run keeps apart, of all metrics
// together: a label with a step's number in it makes a series of each step, and
// nothing in them can be compared with another run.
const maxSeries = 2000

func (c *Collector) addTo(f *Found, labels string, v float64) {
	s := f.series[labels]
	if s == nil {
		if c.series == maxSeries {
			c.dropped = true
			return
		}
		c.series++
		if f.series == nil {
			f.series = make(map[string]*Series)
		}
		s = &Series{Labels: labels, Low: v, High: v}
		f.series[labels] = s
	}
	s.Count++
	s.Low, s.High, s.Last = min(s.Low, v), max(s.High, v), v
}

// Series are those of a metric, by their labels.
func (c *Collector) Series(metric string) (out []Series) {
	f := c.found[metric]
	if f == nil {
		return nil
	}
	for _, labels := range slices.Sorted(maps.Keys(f.series)) {
		out = append(out, *f.series[labels])
	}
	return out
}

// Dropped says that there were more series than are kept apart.
func (c *Collector) Dropped() bool { return c.dropped }
