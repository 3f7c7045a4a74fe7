package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/expr"
	"gpuci/gates/metric"
	"gpuci/kernels/trace"
)

// CardNeed is what a gate needs of the cards of a machine. The zero value needs none.
type CardNeed struct {
	Count int   // cards, each to itself
	VRAM  int64 // bytes of memory that each has at all; 0 for any
	SM    int   // compute capability of each, at least: 90 for 9.0; 0 for any
}

// What a gate's numbers are. Times and amounts of memory depend on who else is on a
// card; other numbers do not.
const (
	MeasuresNumbers = "numbers"
	MeasuresTime    = "time" // or a rate
	MeasuresMemory  = "memory"
)

// cardNeed is what some needs ask for together; of two of a kind the larger holds.
func cardNeed(needs []string) (c CardNeed) {
	for _, need := range needs {
		c.Count = max(c.Count, 1)
		if n, ok := strings.CutPrefix(need, "gpu:"); ok {
			count, _ := strconv.Atoi(n)
			c.Count = max(c.Count, count)
		}
		if n, ok := strings.CutPrefix(need, "sm>="); ok {
			sm, _ := strconv.Atoi(n)
			c.SM = max(c.SM, sm)
		}
		if size, ok := strings.CutPrefix(need, "vram>="); ok {
			bytes, _ := ParseSize(size)
			c.VRAM = max(c.VRAM, bytes)
		}
	}
	return c
}

// onCard reads how a gate uses the cards it needs. It comes after the bars.
func (f *fields) onCard(g *Gate) {
	g.Card = cardNeed(g.Needs)
	f.truth("share-gpu", &g.ShareGPU)
	f.size("vram", &g.VRAM)
	f.choice("measures", &g.Measures, `write measures = "numbers", "time" or "memory"`, MeasuresNumbers, MeasuresTime, MeasuresMemory)
	for _, key := range []string{"share-gpu", "vram"} {
		if e := f.table.get(key); e != nil && f.table.get("needs") == nil {
			f.add(e.span, `add needs = ["gpu"], or leave the line out`, "%q in %s means nothing without %q", key, f.label, "needs")
		}
	}
	if e := f.table.get("vram"); e != nil && e.value.kind == isString && g.VRAM == 0 {
		f.bad(e, `write vram = "8GiB"`, "must be what it uses at most, and more than 0")
	}
	f.numeric(g)
	f.debugTimes(g)
}

// numeric reports a gate that shares a card, or is said to have numbers alone, and
// has others.
func (f *fields) numeric(g *Gate) {
	what, kind := g.onlyAlone()
	said, share := f.table.get("measures"), f.table.get("share-gpu")
	if said != nil && g.Measures == MeasuresNumbers && what != "" {
		f.bad(said, `write measures = "`+kind+`", or rename that bar if it is none`, `cannot be "numbers": %s is one on %s`, what, amountOf(kind))
	}
	if share == nil || !g.ShareGPU {
		return
	}
	if g.VRAM == 0 && f.table.get("vram") == nil {
		f.add(share.span, `add vram = "8GiB", what it uses of a card at most`, "%q in %s needs %q beside it", "share-gpu", f.label, "vram")
	}
	if kind = g.Measured(); kind == MeasuresNumbers {
		return
	}
	why := "it measures " + kind
	if what != "" {
		why = what + " is one on " + amountOf(kind)
	}
	f.bad(share, "take the line out, or put that bar into a gate of its own", "cannot be true: %s, and says nothing beside somebody else", why)
}

// amountOf says what a bar is on.
func amountOf(kind string) string {
	if kind == MeasuresMemory {
		return "an amount of memory"
	}
	return "a time or a rate"
}

// debugTimes reports times of a debug build on a card: nobody wants to know those.
func (f *fields) debugTimes(g *Gate) {
	e := f.table.get("profile")
	if e == nil || g.Profile != "debug" || g.Card.Count == 0 || g.Measured() != MeasuresTime {
		return
	}
	f.bad(e, `build it with optimisation and write profile = "release", or take the times out of it`, `cannot be "debug": the gate measures time, and a debug build's says nothing`)
}

// Measured is what the gate's numbers are: as Measures says, else by the units and names
// of its bars. One time among them makes all of it a gate that wants the card alone.
func (g *Gate) Measured() string {
	if g.Measures != "" {
		return g.Measures
	}
	if _, kind := g.onlyAlone(); kind != "" {
		return kind
	}
	return MeasuresNumbers
}

// onlyAlone finds a bar, or a witness, on a number that means something only alone on a
// card: a time before a rate before an amount of memory. What names it.
func (g *Gate) onlyAlone() (what, kind string) {
	bar, kind := g.barAlone()
	if bar != "" {
		return "the bar on " + quoted(bar), kind
	}
	for _, w := range g.Witnesses {
		if g.witnessAlone(w) {
			return "the witness " + quoted(cmp.Or(w.Name, w.Holds)), MeasuresMemory
		}
	}
	return "", ""
}

// witnessAlone says whether a witness is on an amount of memory that the atlas counts.
func (g *Gate) witnessAlone(w Witness) bool {
	x, err := expr.Parse(w.Holds)
	if err != nil || w.Source == "" {
		return false
	}
	counters := g.AtlasCounters(w)
	return slices.ContainsFunc(x.Names(), func(n expr.Name) bool {
		m, _ := trace.MeasureOf(counters[n.Text].Measure)
		return m.Kind == trace.MemoryMeasure
	})
}

func (g *Gate) barAlone() (bar, kind string) {
	for _, b := range g.Bars {
		unit := b.Unit
		if i := slices.IndexFunc(g.Metrics, func(m Metric) bool { return m.Name == b.Metric }); unit == "" && i >= 0 {
			unit = g.Metrics[i].Unit
		}
		switch {
		case b.AB != nil:
			if slices.Contains(RunTimes(), b.AB.Measure) || metric.Timed(b.AB.Measure, "") {
				return b.Metric, MeasuresTime
			}
		case b.Atlas != nil:
			if m, _ := trace.MeasureOf(b.Atlas.Measure); m.Kind == trace.TimeMeasure {
				return b.Metric, MeasuresTime
			} else if m.Kind == trace.MemoryMeasure && bar == "" {
				bar, kind = b.Metric, MeasuresMemory
			}
		case slices.Contains(KernelMetrics(), b.Metric):
		case metric.Timed(b.Metric, unit):
			return b.Metric, MeasuresTime
		case bar == "" && metric.Sized(b.Metric, unit):
			bar, kind = b.Metric, MeasuresMemory
		}
	}
	return bar, kind
}

// bundle reads what else goes into an archive that the gate runs from.
func (f *fields) bundle(g *Gate) {
	if e, items := f.texts("bundle", `["testdata/**"]`); e != nil {
		g.Bundle = f.globs(e, items)
	}
}
