package propose

import (
	"fmt"
	"slices"
	"strings"
)

// printed proposes limits for the numbers that the gate prints itself.
func (l *lesson) printed(o *output) {
	taken := l.taken()
	for _, name := range o.printed.Names() {
		f := o.printed.Found(name)
		if taken[name] {
			continue
		}
		lim := &limit{metric: name, unit: o.units[name]}
		lim.class = classify([]string{name}, lim.unit)
		if f.Faulty > 0 {
			l.leave(name, "%s", f.Faults[0])
			continue
		}
		if kebab(name) == "" || !isMetric(name) {
			l.leave(name, "a bar cannot have this name: use letters, digits, - _ and .")
			continue
		}
		if lim.give(f.Low.Value, f.High.Value, false, l.gate.Profile == "debug") && len(lim.rules) > 0 {
			l.limits = append(l.limits, lim) // else it is recorded without an entry
		}
	}
}

// isMetric says whether gates/config takes a name.
func isMetric(name string) bool {
	return strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// exactly is up to how many tests every one is asked for.
const exactly = 50

// countTests proposes the count of tests, and a reader where none counted.
func (l *lesson) countTests(o *output, ran int) {
	for _, c := range o.readers {
		if l.gate.Reader != "none" || o.sampled {
			break
		}
		got := c.Counts()
		if got.Ran() > 0 && len(got.Contradictions) == 0 && l.reader == "" {
			l.reader, ran = c.name, got.Ran()
		}
	}
	if least := atLeast(ran); least > max(l.gate.MinTests, 1) && (l.gate.MinTests > 0 || l.reader != "") {
		l.tests, l.ran = least, ran
	} else if l.reader != "" {
		l.tests, l.ran = 1, ran
	}
}

// testsWhy says where a proposed min-tests comes from.
func (l *lesson) testsWhy() string {
	if l.tests == l.ran {
		return "as many as ran when it was learned"
	}
	return fmt.Sprintf("%d ran when it was learned; rounded down, so that a few may come and go", l.ran)
}

// atLeast leaves a large suite room for some tests that come and go.
func atLeast(ran int) int {
	step := 1
	for n := ran; n > exactly; n /= 10 {
		step *= 10
	}
	return ran / step * step
}

// trim keeps what a person reads.
func (l *lesson) trim() {
	sortLimits(l.limits)
	bars, only := 0, 0
	l.limits = slices.DeleteFunc(l.limits, func(x *limit) bool {
		if len(x.rules) == 0 {
			only++
			return only > maxOnly
		}
		bars++
		return bars > maxLimits
	})
	if more := max(bars-maxLimits, 0) + max(only-maxOnly, 0); more > 0 {
		l.leave(plural(more, "more number"), "a gate of so many limits is several gates; run --learn again once these are in")
	}
	if more := len(l.proofs) - maxProofs; more > 0 {
		l.leave(plural(more, "more line")+" of counters", "run --learn again once these are in")
		l.proofs = l.proofs[:maxProofs]
	}
}
