package metric

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Spec is a metric that is read by a pattern, or one whose unit is given for
// the `gpuci:metric` lines that carry it.
type Spec struct {
	Metric  string
	Pattern string // "" when the gate prints the number itself
	Unit    string
}

// Bounds on what hostile output can make us keep.
const (
	maxMetrics = 1000 // distinct metric names
	maxFaults  = 5    // faults kept in words, the rest are counted
	maxPaired  = 1 << 16
)

// Found is what was read of one metric.
type Found struct {
	Count     int
	Low, High Sample   // the least and the greatest
	Faults    []string // numbers that could not be read, in words; at most a few
	Faulty    int      // how many there were

	unit   string
	paired map[string][]float64 // by series, for metrics that take part in a sum
}

// Collector reads samples from lines. It is not safe for concurrent use.
type Collector struct {
	patterns []reading
	found    map[string]*Found
	sink     func(Sample)
	faults   []string // malformed gpuci:metric lines
	faulty   int
}

type reading struct {
	metric  string
	pattern *Pattern
}

// New returns a collector for the given metrics; every sound sample is also
// handed to sink.
func New(specs []Spec, sink func(Sample)) (*Collector, error) {
	c := &Collector{found: make(map[string]*Found), sink: sink}
	given := make(map[string]string) // units that were written down
	for _, s := range specs {
		f := c.of(s.Metric)
		if s.Unit != "" && given[s.Metric] != "" && given[s.Metric] != s.Unit {
			return nil, fmt.Errorf("metric %s: its unit is %s in one place and %s in another", s.Metric, given[s.Metric], s.Unit)
		}
		if s.Unit != "" {
			given[s.Metric] = s.Unit
		}
		if unit := UnitOf(s.Metric, s.Unit); s.Unit != "" || f.unit == "" {
			f.unit = unit
		}
		if s.Pattern == "" {
			continue
		}
		p, err := Compile(s.Pattern)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", s.Metric, err)
		}
		c.patterns = append(c.patterns, reading{s.Metric, p})
	}
	return c, nil
}

// Pair keeps the single values of a metric, which a sum of parts needs.
func (c *Collector) Pair(metric string) {
	if f := c.of(metric); f.paired == nil {
		f.paired = make(map[string][]float64)
	}
}

func (c *Collector) of(metric string) *Found {
	f := c.found[metric]
	if f == nil {
		f = &Found{unit: UnitOf(metric, "")}
		c.found[metric] = f
	}
	return f
}

// Line reads one line of the gate's output, free of escape sequences.
func (c *Collector) Line(line []byte) {
	printed := ""
	if rest, ok := findOwn(line); ok {
		printed = c.own(rest)
	}
	for _, r := range c.patterns {
		if r.metric == printed {
			continue // one line is one number, whichever way it is read
		}
		for _, m := range r.pattern.find(line) {
			c.take(r, line, m)
		}
	}
}

// Literals are texts one of which stands in every line that Line would act
// on; ok is false when there is no such list and every line must be shown.
func (c *Collector) Literals() (list [][]byte, ok bool) {
	list = [][]byte{[]byte(prefix)}
	for _, r := range c.patterns {
		if len(r.pattern.literal) == 0 {
			return nil, false
		}
		list = append(list, r.pattern.literal)
	}
	return list, true
}

func (c *Collector) take(r reading, line []byte, m match) {
	f := c.of(r.metric)
	from, to := m.loc[2*r.pattern.value], m.loc[2*r.pattern.value+1]
	if from < 0 || from == to {
		f.fault(fmt.Sprintf("the group `value` is empty in %s", quote(line)))
		return
	}
	text := string(line[from:to])
	if m.hollow {
		f.fault(fmt.Sprintf("the value is %s in %s", text, quote(line)))
		return
	}
	if err := errors.Join(cut(line, from, to), otherUnit(line[to:], f.unit)); err != nil {
		f.fault(err.Error() + " in " + quote(line))
		return
	}
	c.add(f, Sample{Metric: r.metric, Text: text, Unit: f.unit, Labels: r.pattern.labels(line, m)})
}

// own takes a line that the gate printed for us and says whose number it is.
func (c *Collector) own(rest []byte) (metric string) {
	o, err := parseOwn(rest)
	if err != nil {
		c.fault(fmt.Sprintf("malformed gpuci:metric line: %v, in %s", err, quote(append([]byte(prefix), rest...))))
		return o.Name
	}
	if c.found[o.Name] == nil && len(c.found) >= maxMetrics {
		c.fault(fmt.Sprintf("more than %d metrics: %s was not kept", maxMetrics, o.Name))
		return o.Name
	}
	f := c.of(o.Name)
	switch {
	case o.Unit == "" || o.Unit == f.unit:
	case f.unit == "" && f.Count == 0:
		f.unit = o.Unit
	default:
		f.fault(fmt.Sprintf("%s is printed in %s, the metric is in %s: nothing is converted", o.Text, o.Unit, unitName(f.unit)))
		return o.Name
	}
	c.add(f, Sample{Metric: o.Name, Text: o.Text, Unit: f.unit, Labels: o.Labels})
	return o.Name
}

func unitName(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return unit
}

func (c *Collector) add(f *Found, s Sample) {
	v, err := parse(s.Text, s.Unit)
	if err != nil {
		if len(s.Labels) > 0 {
			err = fmt.Errorf("%w (%s)", err, s.Series())
		}
		f.fault(err.Error())
		return
	}
	s.Value = v
	if f.Count == 0 || v < f.Low.Value {
		f.Low = s
	}
	if f.Count == 0 || v > f.High.Value {
		f.High = s
	}
	f.Count++
	if f.paired != nil && f.Count <= maxPaired {
		f.paired[s.Series()] = append(f.paired[s.Series()], v)
	}
	if c.sink != nil {
		c.sink(s)
	}
}

func (f *Found) fault(text string) {
	f.Faulty++
	if len(f.Faults) < maxFaults && !slices.Contains(f.Faults, text) {
		f.Faults = append(f.Faults, text)
	}
}

func (c *Collector) fault(text string) {
	c.faulty++
	if len(c.faults) < maxFaults && !slices.Contains(c.faults, text) {
		c.faults = append(c.faults, text)
	}
}

// Faults are the `gpuci:metric` lines that could not be read, and the faults
// of metrics that no bar looks at.
func (c *Collector) Faults(judged map[string]bool) []string {
	out := slices.Clone(c.faults)
	for _, name := range slices.Sorted(maps.Keys(c.found)) {
		if judged[name] {
			continue
		}
		for _, f := range c.found[name].Faults {
			out = append(out, name+": "+f)
		}
	}
	return out
}

// Names are the metrics of which at least one sample was read, sorted.
func (c *Collector) Names() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.found)) {
		if c.found[name].Count > 0 {
			out = append(out, name)
		}
	}
	return out
}

// Silent says that nothing was printed for a metric, readable or not.
func (c *Collector) Silent(metric string) bool {
	f := c.found[metric]
	return f == nil || f.Count == 0 && f.Faulty == 0
}

// Found returns what was read of a metric; nil when nothing was asked or read.
func (c *Collector) Found(metric string) *Found { return c.found[metric] }

func quote(line []byte) string {
	line = bytes.TrimSpace(line)
	if len(line) > 80 {
		return fmt.Sprintf("%q…", line[:80])
	}
	return fmt.Sprintf("%q", line)
}
