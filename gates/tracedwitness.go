package gates

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gpuci/gates/config"
)

// mostPrinted is how many different matches of a witness's pattern are held until the
// atlas has counted.
const mostPrinted = 1000

// printedCounters is a match of a pattern that waits for the counters of the atlas.
type printedCounters struct {
	groups map[string]string
	fault  string
}

// namesOfAtlas are the counters of its relation that the atlas counts.
func (w *witness) namesOfAtlas(g config.Gate, of config.Witness) {
	if of.Source != config.SourceTrace {
		return
	}
	w.atlas = make(map[string]config.Atlas)
	counters := g.AtlasCounters(of)
	for _, n := range w.holds.Names() {
		if a, is := counters[n.Text]; is {
			w.atlas[n.Text] = a
		}
	}
}

// hold keeps a match of the pattern until the run is over.
func (w *witness) hold(groups map[string]string, fault string) {
	for _, p := range w.printed {
		if p.fault == fault && maps.Equal(p.groups, groups) {
			return
		}
	}
	if len(w.printed) == mostPrinted {
		fault = fmt.Sprintf("more than %d different lines gave its counters", mostPrinted)
	}
	if len(w.printed) <= mostPrinted {
		w.printed = append(w.printed, printedCounters{groups, fault})
	}
}

// counted evaluates the relation for every warm step, with each match of its pattern.
func (w *witness) counted(t *tracing) {
	if w.atlas == nil {
		return
	}
	if w.pattern == nil {
		w.printed = []printedCounters{{}}
	}
	steps, why := t.counters(w.atlas)
	if why != "" {
		t.untold = append(t.untold, why)
	}
	for _, p := range w.printed {
		fault := p.fault
		if fault == "" {
			fault = why
		}
		if fault != "" {
			w.match(p.groups, fault)
			continue
		}
		for _, step := range steps {
			all := maps.Clone(step)
			maps.Copy(all, p.groups)
			w.match(all, "")
		}
	}
}

// lacks says that the stage of a counter is not there.
func (t *tracing) lacks(atlas map[string]config.Atlas) bool {
	for _, a := range atlas {
		if t.figure(a).Absent {
			return true
		}
	}
	return false
}

// uncounted says that there was nothing to hold.
func (w *witness) uncounted() {
	if w.atlas != nil {
		w.match(nil, notCounted)
	}
}

const notCounted = "what the atlas counts was not counted"

// counters are the different sets of counters that warm steps have. One of the whole run
// is the same in all.
func (t *tracing) counters(atlas map[string]config.Atlas) (sets []map[string]string, why string) {
	names, n := slices.Sorted(maps.Keys(atlas)), 1
	values := make(map[string][]int64)
	for _, name := range names {
		x := t.figure(atlas[name])
		switch {
		case x.Why != "":
			return nil, name + ": " + x.Why
		case x.Steps == nil && x.Low == x.High:
			values[name] = []int64{int64(x.Low)}
		case x.Steps == nil:
			return nil, fmt.Sprintf("%s: %d processes did not do as many steps each, and it is between %v and %v in a step", name, x.Processes, x.Low, x.High)
		default:
			values[name] = x.Steps
		}
		if len(values[name]) > 1 && n > 1 && len(values[name]) != n {
			return nil, fmt.Sprintf("%s is of %d steps, and others are of %d", name, len(values[name]), n)
		}
		n = max(n, len(values[name]))
	}
	seen := make(map[string]bool)
	for i := range n {
		set := make(map[string]string)
		for _, name := range names {
			v := values[name]
			set[name] = strconv.FormatInt(v[min(i, len(v)-1)], 10)
		}
		if key := fmt.Sprint(set); !seen[key] {
			seen[key] = true
			sets = append(sets, set)
		}
	}
	return sets, ""
}
