package metric

import (
	"slices"
	"strings"
)

// Found is what was read of one metric.
type Found struct {
	Count     int
	Low, High Sample   // the least and the greatest
	Faults    []string // numbers that could not be read, in words; at most a few
	Faulty    int      // how many there were

	unit   string
	series map[string]*Series
	paired map[string][]float64 // by series, for metrics that take part in a sum
}

// add takes a sound sample.
func (c *Collector) add(f *Found, s Sample) {
	if f.Count == 0 || s.Value < f.Low.Value {
		f.Low = s
	}
	if f.Count == 0 || s.Value > f.High.Value {
		f.High = s
	}
	f.Count++
	labels := s.Series()
	c.addTo(f, labels, s.Value)
	if f.paired != nil && f.Count <= maxPaired {
		f.paired[labels] = append(f.paired[labels], s.Value)
	}
	if c.sink != nil {
		c.sink(s)
	}
}

func (f *Found) fault(text string) {
	f.Faulty++
	f.Faults = note(f.Faults, text)
}

func (c *Collector) fault(text string) {
	c.faults = note(c.faults, text)
}

// note keeps a few faults in words, and of each as much as a person reads: its
// text quotes the output.
func note(faults []string, text string) []string {
	if len(text) > maxFault {
		text = strings.ToValidUTF8(text[:maxFault], "") + "…"
	}
	if len(faults) < maxFaults && !slices.Contains(faults, text) {
		faults = append(faults, text)
	}
	return faults
}
