package propose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// limit is a bar, or a metric that is recorded only.
type limit struct {
	metric, pattern, unit string
	rules                 []string // lines such as `max = 2e-5`; none for a metric that is recorded
	matches               int      // min-matches; 0 where it cannot be told
	why                   string   // a comment
	class                 class
}

// tenfold is the room that an error gets: another card, another compiler and
// another order of a sum move the last digits, and rarely a whole one.
const tenfold = 10

// give finds the rules for a number of a class, from what it was in this run.
func (l *limit) give(low, high float64, whole, debug bool) bool {
	switch l.class {
	case errorLike:
		return l.errors(low, high)
	case countLike:
		l.rules = []string{"max = " + tomlFloat(high)}
		l.say("%s in this run, and the same in every run as long as the program does the same", text(high))
	case speedLike:
		if low <= 0 {
			return false
		}
		l.rules = []string{"min = " + tomlFloat(downTo(0.9*low))}
		l.say("%s at worst in this run; a tenth less is what noise may take", text(low))
	case lossLike, timeLike, sizeLike:
		return l.against(low, high, debug)
	default:
		if whole {
			return false
		}
		l.say("recorded, and judged by nothing: make it a [[gate.bar]] with min or max once you know which way is worse")
	}
	return true
}

func (l *limit) errors(low, high float64) bool {
	worst := max(high, -low)
	if worst == 0 {
		l.rules = []string{"max = 0.0"}
		l.say("exactly 0 in this run; where a bit may differ, write what is still right")
		return true
	}
	bound := upTo(tenfold * worst)
	if math.IsInf(bound, 0) {
		return false
	}
	if low < 0 {
		l.rules = []string{"min = " + tomlFloat(-bound)}
	}
	l.rules = append(l.rules, "max = "+tomlFloat(bound))
	l.say("%s at worst in this run, times ten for another card or compiler; tighten it to what the method allows", text(worst))
	return true
}

// against holds a number against the last green of the base branch.
func (l *limit) against(low, high float64, debug bool) bool {
	switch {
	case high <= 0:
		return false // too little to tell
	case l.class == timeLike && debug:
		l.say("%s in this run; recorded only, because the time of a debug build says nothing", rangeText(low, high))
		return true
	case l.class == lossLike:
		l.rules = []string{`within = "5%"`, `better = "lower"`}
	default:
		l.rules = []string{`within = "10%"`, `better = "lower"`}
	}
	l.say("%s in this run; held against the last green of the base branch, where the first run becomes the reference", rangeText(low, high))
	return true
}

func (l *limit) say(format string, args ...any) { l.why = fmt.Sprintf(format, args...) }

func rangeText(low, high float64) string {
	if low == high {
		return text(low)
	}
	n := metric.Figures(low, high)
	return n[0] + " to " + n[1]
}

func text(v float64) string { return metric.Figure(v) }

// upTo is the least of 1, 2 and 5 times a power of ten that is not below v.
func upTo(v float64) float64 {
	exp := math.Floor(math.Log10(v))
	for _, e := range []float64{exp, exp + 1} {
		for _, digit := range []string{"1", "2", "5"} {
			// By way of its text: 1e-5 is a number that a person reads, 10*1e-6 is not.
			n, err := strconv.ParseFloat(digit+"e"+strconv.Itoa(int(e)), 64)
			if err == nil && n >= v*(1-1e-9) {
				return n
			}
		}
	}
	return v
}

// downTo is v cut to two digits.
func downTo(v float64) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err == nil && n > v {
		n, err = strconv.ParseFloat(strconv.FormatFloat(v*0.95, 'e', 1, 64), 64)
	}
	if err != nil {
		return v
	}
	return n
}

// tomlFloat writes a number so that TOML reads it as the same float.
func tomlFloat(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		return s + ".0"
	}
	return strings.Replace(s, "e-0", "e-", 1)
}

// toml writes the limit as a table of its gate.
func (l *limit) toml() []string {
	header := "  [[gate.bar]]"
	if len(l.rules) == 0 {
		header = "  [[gate.metric]]"
	}
	out := comment(l.metric + ": " + l.why)
	out = append(out, header, "  metric = "+config.TOMLString(l.metric))
	if l.pattern != "" {
		out = append(out, "  pattern = "+config.TOMLString(l.pattern))
	}
	if l.unit != "" && metric.UnitOf(l.metric, "") != l.unit {
		out = append(out, "  unit = "+config.TOMLString(l.unit))
	}
	for _, r := range l.rules {
		out = append(out, "  "+r)
	}
	if l.matches > 1 && len(l.rules) > 0 {
		out = append(out, fmt.Sprintf("  min-matches = %d  # as many as this run printed", l.matches))
	}
	return out
}

// each says how often a number must be found, where every one has a label of
// its own: then a missing one is one that was not tested.
func each(s *shape) int {
	for _, l := range s.labels {
		if len(l.values) == s.count && s.count < maxValues {
			return s.count
		}
	}
	return 0
}

// sortLimits puts first what finds defects, and keeps the order of the output
// otherwise.
func sortLimits(list []*limit) {
	rank := func(l *limit) int {
		if len(l.rules) == 0 {
			return 10
		}
		return int(l.class)
	}
	slices.SortStableFunc(list, func(a, b *limit) int { return rank(a) - rank(b) })
}
