package propose

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// Facts are what is known of a run beside its output.
type Facts struct {
	Config string // text of the workspace's gpuci.toml; without it there is no Diff
	Ran    int    // tests that ran, as the gate's reader counted them; 0 is unknown
}

// Patch is what Learn proposes. Nothing of it is applied by itself.
type Patch struct {
	Toml string // lines to put below the last line of the gate; "" when nothing is proposed
	Diff string // the whole as a unified diff against gpuci.toml, which `git apply` takes; "" where the gate was not found in the text

	Found []string // what is proposed, one line each
	Left  []Left   // what was seen and nothing proposed for, and why
}

// Empty says that there is nothing to propose.
func (p Patch) Empty() bool { return p.Toml == "" && p.Diff == "" }

// Bounds of what is proposed: more than this is not read, and a gate with so
// many limits is several gates.
const (
	maxLimits = 12
	maxOnly   = 8 // metrics that are recorded only
	maxProofs = 6
)

// lesson is a proposal in the making.
type lesson struct {
	gate   config.Gate
	limits []*limit
	proofs []*proof
	axes   []axis
	reader string // another one that would have counted; "" for none
	run    string // new commands, as TOML, that show what passing tests print; "" for none
	tests  int    // new min-tests; 0 for none
	ran    int    // tests that ran, where tests is set
	patch  Patch
}

// Learn reads the output of one run of a gate, its run.log, and proposes what
// of it is worth a limit: bars on numbers, witnesses on counters, the axes of a
// scope, the count of tests. Every pattern was tried on the lines it came from,
// where it reads each number once and whole, and on one line of every other
// kind, where it reads nothing. What the gate reads already is left alone.
//
// Of an output over 64 MiB the two ends are read; of one that cannot be wound
// on, as a pipe, the beginning. The error is one of reading log, or of making a
// temporary directory.
func Learn(gate config.Gate, log io.Reader, f Facts) (Patch, error) {
	l := &lesson{gate: gate}
	var tried []string
	if gate.Reader == "none" {
		tried = []string{"libtest", "gotest", "pytest", "ctest"}
	}
	out, err := readOutput(log, tried)
	if err != nil {
		return Patch{}, fmt.Errorf("learn from gate %s: %w", gate.Name, err)
	}
	if out.sampled {
		l.leave("the middle of the output", "it is over %d MiB, of which its ends were read: what was proposed may not hold in between", 2*sampleSize>>20)
	}
	l.read(out)
	if len(l.axes) > 0 && scopeNoted(f.Config, gate.Name) {
		l.axes = nil
		l.leave("scope", "it is below the gate already, as a comment: write what production uses into it and uncomment it")
	}
	l.printed(out)
	l.countTests(out, f.Ran)
	l.unhide(out)
	l.trim()
	l.patch.Left = append(l.patch.Left, out.unread()...)
	return l.finish(f.Config)
}

func (l *lesson) leave(what, format string, args ...any) {
	l.patch.Left = append(l.patch.Left, Left{printable(what), fmt.Sprintf(format, args...)})
}

// read makes proposals of the lines.
func (l *lesson) read(o *output) {
	var all [][]reading
	for _, s := range o.shapes.list {
		all = append(all, s.read())
	}
	if l.gate.Scope == nil {
		l.axes = o.axes(all)
	}
	taken := l.taken()
	for i, s := range o.shapes.list {
		if l.witnessed(s) {
			continue
		}
		counted := make(map[int]bool)
		if p := o.proof(all[i]); p != nil {
			p.name = free(taken, []string{p.name})
			taken[p.name] = true
			l.proofs = append(l.proofs, p)
			for _, r := range counters(all[i]) {
				counted[r.index] = true
			}
		}
		for _, r := range all[i] {
			if !counted[r.index] && !l.known(r) {
				l.number(o, r, all[i], taken)
			}
		}
	}
}

// taken are the names that the gate has.
func (l *lesson) taken() map[string]bool {
	taken := make(map[string]bool)
	for _, b := range l.gate.Bars {
		taken[b.Metric] = true
	}
	for _, m := range l.gate.Metrics {
		taken[m.Name] = true
	}
	for _, w := range l.gate.Witnesses {
		taken[w.Name] = true
	}
	return taken
}

// number proposes a limit for one number, if it is one that has a name.
func (l *lesson) number(o *output, r reading, all []reading, taken map[string]bool) {
	n := r.num()
	if r.name == "" || r.class == axisLike || r.class == indexLike || r.ratio || r.of || len(n.values) == 0 {
		return
	}
	if r.class == errorLike && n.whole && !strings.Contains(r.name, "ulp") {
		return // "error 404"
	}
	lim := &limit{class: r.class, unit: r.unit, matches: each(r.shape)}
	if r.unit == "x" || r.unit == "%" {
		lim.unit = "" // the pattern has it
	}
	if !lim.give(n.low, n.high, n.whole, l.gate.Profile == "debug") {
		if !n.whole || r.unit != "" {
			l.leave(r.name, "%s: too little to hold against anything", n.highText)
		}
		return
	}
	r.name = free(taken, []string{r.name})
	lim.metric = r.name
	if lim.pattern = o.numberPattern(r, all, lim.unit); lim.pattern == "" {
		l.leave(r.name, "no pattern tells it from the other numbers of the output: print it as a gpuci:metric line")
		return
	}
	taken[r.name] = true
	l.limits = append(l.limits, lim)
}

// known says that a pattern of the gate reads this very number.
func (l *lesson) known(r reading) bool {
	var patterns []string
	for _, b := range l.gate.Bars {
		patterns = append(patterns, b.Pattern)
	}
	for _, m := range l.gate.Metrics {
		patterns = append(patterns, m.Pattern)
	}
	line, at := r.shape.lines[0], 0
	for _, t := range cut(line)[:r.num().at] {
		at += len(t.text)
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		re, err := regexp.Compile(p)
		if err != nil || p == "" {
			return false
		}
		for _, m := range re.FindAllStringSubmatchIndex(line, -1) {
			if i := 2 * max(re.SubexpIndex("value"), 0); m[i] <= at && at < m[i+1] {
				return true
			}
		}
		return false
	})
}

// witnessed says that a witness of the gate reads the lines of this shape.
func (l *lesson) witnessed(s *shape) bool {
	return slices.ContainsFunc(l.gate.Witnesses, func(w config.Witness) bool {
		re, err := regexp.Compile(w.Pattern)
		return err == nil && re.MatchString(s.lines[0])
	})
}
