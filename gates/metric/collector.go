package metric

import (
	"bytes"
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
	Given   bool // by Give and its like, and nothing that is printed is one
}

// Bounds on what hostile output can make us keep.
const (
	maxMetrics = 1000 // distinct metric names
	maxFaults  = 5    // faults kept in words, the rest are counted
	maxFault   = 600  // bytes of such words
	maxPaired  = 1 << 16
)

// Collector reads samples from lines. It is not safe for concurrent use.
type Collector struct {
	patterns []reading
	found    map[string]*Found
	declared map[string]bool // metrics that the gate's configuration names
	given    map[string]bool // those that are not printed
	sink     func(Sample)
	faults   []string // malformed gpuci:metric lines
	series   int      // kept apart so far, of all metrics
	dropped  bool     // there were more
}

type reading struct {
	metric  string
	pattern *Pattern
}

// New returns a collector for the given metrics; every sound sample is also
// handed to sink.
func New(specs []Spec, sink func(Sample)) (*Collector, error) {
	c := &Collector{found: make(map[string]*Found), declared: make(map[string]bool), given: make(map[string]bool), sink: sink}
	given := make(map[string]string) // units that were written down
	for _, s := range specs {
		f := c.of(s.Metric)
		c.declared[s.Metric] = true
		c.given[s.Metric] = c.given[s.Metric] || s.Given
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
	c.declared[metric] = true
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
	printed, at := c.printed(line)
	for _, r := range c.patterns {
		for _, loc := range r.pattern.find(line) {
			if r.metric != printed || loc[1] <= at { // one text is one number, whichever way it is read
				c.take(r, line, loc)
			}
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

func (c *Collector) take(r reading, line []byte, loc []int) {
	f, i := c.of(r.metric), r.pattern.value
	from, to := loc[2*i], loc[2*i+1]
	if from < 0 || from == to {
		f.fault(fmt.Sprintf("the group `value` is empty in %s", quote(line)))
		return
	}
	s := Sample{Metric: r.metric, Text: string(line[from:to]), Unit: f.unit, Labels: r.pattern.labels(line, loc)}
	var err error
	if s.Value, err = parse(s.Text, s.Unit); err == nil {
		err = otherUnit(line[to:], f.unit)
	}
	if err == nil {
		err = r.pattern.check(line, loc, i, f.unit)
	}
	if err != nil {
		f.fault(err.Error() + " in " + quote(line))
		return
	}
	c.add(f, s)
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
