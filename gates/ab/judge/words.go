package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Percent writes a part with two digits that count, and no sign.
func Percent(part float64) string {
	v := 100 * math.Abs(part)
	switch {
	case v == 0:
		return "0 %"
	case v >= 9.95:
		return fmt.Sprintf("%.0f %%", v)
	case v >= 0.95:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " %"
	}
	return fmt.Sprintf("%.2g %%", v)
}

// Signed is Percent with a sign.
func Signed(part float64) string {
	switch {
	case part > 0:
		return "+" + Percent(part)
	case part < 0:
		return "-" + Percent(part)
	}
	return Percent(0)
}

// listed lists counts by their names.
func listed(counts map[string]int) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(texts, ", ")
}

// between writes the ends of an interval.
func (e evidence) between(f finding) string {
	part := e.readings.scale.part
	return fmt.Sprintf("between %s and %s", Signed(part(f.low)), Signed(part(f.high)))
}

// decided says what a verdict means.
func (e evidence) decided(v Verdict) string {
	part := e.readings.scale.part
	size, floor := part(e.pairs.centre), Percent(part(e.floor))
	switch {
	case v != Tie:
		return fmt.Sprintf("%s is %s, %s, beyond the floor of %s", e.metric.Name, Signed(size), e.between(e.pairs), floor)
	case e.readings.flat():
		return fmt.Sprintf("%s is the same in every run", e.metric.Name)
	case e.pairs.sure() && math.Abs(e.pairs.centre) < e.bars.least && e.pairs.far() < e.bars.seek:
		return fmt.Sprintf("%s is %s, surely, and less than the %s that are worth an arm", e.metric.Name, Signed(size), Percent(e.rule.Least))
	case e.pairs.far() < e.bars.seek:
		return fmt.Sprintf("%s differs by less than %s: it is %s", e.metric.Name, Percent(part(e.bars.seek)), e.between(e.pairs))
	}
	return fmt.Sprintf("%s is %s, inside the floor of %s: the control differs as much from itself", e.metric.Name, Signed(size), floor)
}

// tooCoarse says that no samples will do.
func (e evidence) tooCoarse() string {
	return fmt.Sprintf("%s is read in steps of %.3g %s, which can put a difference off by %s: no number of samples makes up for that",
		e.metric.Name, e.readings.step, e.metric.Unit, Percent(e.readings.bias))
}

// undecided says what is missing.
func (e evidence) undecided(a Answer) string {
	why := fmt.Sprintf("%s is %s, and %s would have had to be there to be seen", e.metric.Name, e.between(e.pairs), Percent(a.Visible))
	if e.pairs.sure() && !e.beyond() {
		why = fmt.Sprintf("%s is %s, %s, and not beyond the floor of %s", e.metric.Name,
			Signed(a.Ratio-1), e.between(e.pairs), Percent(a.Floor))
	}
	if e.metric.Quality && e.readings.seedCount < e.rule.Seeds {
		why = fmt.Sprintf("%s has %d seeds, and the rule asks for %d", e.metric.Name, e.readings.seedCount, e.rule.Seeds)
	}
	if a.TooMany {
		return fmt.Sprintf("%s; it would take about %d more samples of each arm, more than the rule's %d", why, a.More, e.rule.Most)
	}
	return fmt.Sprintf("%s; it would take about %d more samples of each arm", why, a.More)
}
