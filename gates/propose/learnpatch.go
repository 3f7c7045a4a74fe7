package propose

import (
	"fmt"
	"strings"

	"gpuci/gates/config"
)

// finish writes the proposal down and checks it: the patched text must load, and
// have the gate with what was added and nothing else changed.
func (l *lesson) finish(text string) (Patch, error) {
	lines := l.tables(true)
	p := &l.patch
	p.Toml = strings.Join(append(l.ownKeys(), lines...), "\n")
	if p.Toml == "" {
		return *p, nil
	}
	p.Toml += "\n"
	if err := l.loads(); err != nil {
		return Patch{}, fmt.Errorf("learn from gate %s: the proposal does not load, which is a mistake in gpuci: %w", l.gate.Name, err)
	}
	l.summarise()
	if text == "" {
		return *p, nil
	}
	at, err := findGate(text, l.gate.Name)
	if err == nil {
		var after string
		if after, p.Diff, err = splice(text, l.edits(at, text, lines)); err == nil {
			err = l.same(text, after)
		}
	}
	if err != nil {
		p.Diff = ""
		l.leave("a patch of "+config.FileName, "%v: put the lines in by hand", err)
	}
	return *p, nil
}

// tables are what goes below the gate.
func (l *lesson) tables(hideScope bool) (out []string) {
	add := func(lines []string) {
		if len(lines) > 0 {
			out = append(append(out, ""), lines...)
		}
	}
	for _, x := range l.limits {
		add(x.toml())
	}
	for _, p := range l.proofs {
		add(p.toml())
	}
	add(scopeTOML(l.axes, hideScope))
	return out
}

// ownKeys are the keys of the gate itself, as comments: above its tables they
// would need to go to another place.
func (l *lesson) ownKeys() (out []string) {
	if l.run != "" {
		out = append(out, "  # in the [[gate]] itself: run = "+strings.ReplaceAll(l.run, "\n", " "))
	}
	if l.reader != "" {
		out = append(out, fmt.Sprintf("  # in the [[gate]] itself: reader = %q, which would have counted what ran", l.reader))
	}
	if l.tests > 0 {
		out = append(out, fmt.Sprintf("  # in the [[gate]] itself: min-tests = %d  # %s", l.tests, l.testsWhy()))
	}
	return out
}

func (l *lesson) summarise() {
	if l.run != "" {
		l.find("run = %s, which shows what passing tests print: then --learn again", strings.Join(strings.Fields(l.run), " "))
	}
	if l.reader != "" {
		l.find("reader = %q, which counts what ran", l.reader)
	}
	if l.tests > 0 {
		l.find("min-tests = %d, %s", l.tests, l.testsWhy())
	}
	for _, x := range l.limits {
		if len(x.rules) == 0 {
			l.find("metric %s, recorded only", x.metric)
			continue
		}
		l.find("bar %s: %s", x.metric, strings.Join(x.rules, ", "))
	}
	for _, p := range l.proofs {
		l.find("witness %s: %s", p.name, p.holds)
	}
	for _, a := range l.axes {
		l.find("scope %s = %s, to be held against production", a.name, strings.Join(a.points, ", "))
	}
}

func (l *lesson) find(format string, args ...any) {
	l.patch.Found = append(l.patch.Found, fmt.Sprintf(format, args...))
}

// loads says whether the tables load below a gate, the scope with them.
func (l *lesson) loads() error {
	gate := "[[gate]]\nname = \"g\"\nrun = [\"true\"]\nreader = \"none\"\n"
	return Check(gate + strings.Join(l.tables(false), "\n") + "\n")
}

// edits are the changes to the text of the file.
func (l *lesson) edits(at gateText, text string, tables []string) (out []edit) {
	if l.run != "" {
		out = append(out, at.set(text, "run", l.run)...)
	}
	if l.reader != "" {
		out = append(out, at.set(text, "reader", config.TOMLString(l.reader))...)
	}
	if l.tests > 0 {
		for _, e := range at.set(text, "min-tests", fmt.Sprint(l.tests)) {
			for i := range e.insert { // what init says of the number that it wrote is over
				e.insert[i] = strings.Replace(e.insert[i], minTestsWhy, l.testsWhy(), 1)
			}
			out = append(out, e)
		}
	}
	if len(tables) > 0 {
		out = append(out, edit{line: at.end, insert: tables})
	}
	return out
}

// same holds the patched file against the one before it.
func (l *lesson) same(before, after string) error {
	old, err := load(before)
	if err != nil {
		return fmt.Errorf("the file does not load by itself: %w", err)
	}
	now, err := load(after)
	if err != nil {
		return fmt.Errorf("the file does not load with it: %w", err)
	}
	a, _ := old.Gate(l.gate.Name)
	b, ok := now.Gate(l.gate.Name)
	bars := 0
	for _, x := range l.limits {
		if len(x.rules) > 0 {
			bars++
		}
	}
	if !ok || len(old.Gates) != len(now.Gates) || len(b.Bars) != len(a.Bars)+bars ||
		len(b.Metrics) != len(a.Metrics)+len(l.limits)-bars || len(b.Witnesses) != len(a.Witnesses)+len(l.proofs) {
		return fmt.Errorf("the lines would not go to the gate")
	}
	return nil
}
