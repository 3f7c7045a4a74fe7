package reader

import (
	"bytes"
	"strings"
)

// block is what plain go test printed of one package so far.
type block struct {
	open    map[string]*plainTest
	running int      // open top-level tests that are not paused
	family  string   // the top-level test that was reported last,
	verdict string   // and how
	failing string   // a failed test; its failed subtests may follow
	fails   nameList // failed tests for good

	measured  int
	ran, lost bool     // RUN lines were seen; more than maxOpen of them were open
	bench     bool     // the header of benchmarks was seen
	word      lastWord // PASS or FAIL alone on a line
	early     *packageEnd
}

// plainTest is a test that has begun and was not reported.
type plainTest struct {
	paused bool
	parent bool
	nested int // RUN lines of the same name since: printed, or of another process
}

// note takes a verdict that stands alone on a line, which is not a test's while
// none runs.
func (k *block) note(line []byte, word string, seen *bool) bool {
	if string(line) != word || k.running > 0 {
		return false
	}
	*seen = true
	return true
}

func (k *block) run(name string) {
	if t := k.open[name]; t != nil {
		t.nested++
		return
	}
	top := !strings.Contains(name, "/")
	parent := above(k.open, name)
	if (top && k.running > 0) || (!top && parent == nil) {
		return
	}
	k.ran = true
	if len(k.open) >= maxOpen {
		k.lost = true
		return
	}
	if k.open == nil {
		k.open = map[string]*plainTest{}
	}
	k.open[name] = &plainTest{}
	if top {
		k.running++
	} else {
		parent.parent = true
	}
}

func (k *block) pause(name string, paused bool) {
	t := k.open[name]
	if t == nil || t.paused == paused {
		return
	}
	t.paused = paused
	if strings.Contains(name, "/") {
		return
	}
	if paused {
		k.running--
	} else {
		k.running++
	}
}

// report takes a "--- PASS: NAME (0.00s)" line and its kin.
func (k *block) report(c *Counts, line []byte) bool {
	name, verdict, indented, ok := parseReport(line)
	if !ok || indented != strings.Contains(name, "/") {
		return false
	}
	if indented && (k.family == "" || !strings.HasPrefix(name, k.family+"/")) {
		return false
	}
	t := k.open[name]
	if t == nil {
		return k.unannounced(c, name, verdict)
	}
	if t.nested > 0 {
		t.nested--
		return true
	}
	delete(k.open, name)
	if !indented && !t.paused {
		k.running--
	}
	k.early = nil // whoever printed it, the tests go on
	k.ended(c, name, verdict, t.parent)
	return true
}

// unannounced takes a report without a RUN line: that is all there is without
// -v, and of benchmarks.
func (k *block) unannounced(c *Counts, name, verdict string) bool {
	if k.ran && name == k.family && verdict != k.verdict {
		c.contradict("%s is reported twice, as %s and %s: a test prints the harness's lines; use go test -json", name, k.verdict, verdict)
	}
	benchmark := k.bench && strings.HasPrefix(name, "Benchmark")
	if k.running > 0 || (k.ran && !benchmark) || (verdict != "FAIL" && !benchmark) {
		return false
	}
	k.ended(c, name, verdict, false)
	return true
}

// ended counts a report. A failed test waits for the next report: if that is
// the failure of a subtest, it takes its place.
func (k *block) ended(c *Counts, name, verdict string, parent bool) {
	if !strings.Contains(name, "/") {
		k.flush(c)
		k.family, k.verdict = name, verdict
	}
	switch {
	case verdict == "FAIL":
		if !strings.HasPrefix(name, k.failing+"/") {
			k.flush(c)
		}
		k.failing = name
	case parent:
	case verdict == "PASS":
		c.pass(name)
	default:
		c.ignore(name)
	}
}

func (k *block) flush(c *Counts) {
	if k.failing != "" {
		c.roll(k.failing, true)
		k.fails.add([]byte(k.failing))
		k.failing = ""
	}
}

// parseReport reads "--- PASS: NAME (0.00s)" with FAIL or SKIP as well, indented
// for subtests, and of benchmarks without the time.
func parseReport(line []byte) (name, verdict string, indented, ok bool) {
	bare := bytes.TrimLeft(line, " ")
	rest, ok := bytes.CutPrefix(bare, []byte("--- "))
	if !ok || len(rest) > maxName {
		return "", "", false, false
	}
	word, rest, ok := bytes.Cut(rest, []byte(": "))
	if !ok || (string(word) != "PASS" && string(word) != "FAIL" && string(word) != "SKIP") {
		return "", "", false, false
	}
	id, after, timed := bytes.Cut(rest, []byte(" "))
	if timed {
		inner, ok1 := bytes.CutPrefix(after, []byte("("))
		inner, ok2 := bytes.CutSuffix(inner, []byte(")"))
		ok = ok1 && ok2 && isSeconds(inner)
	} else {
		ok = bytes.HasPrefix(id, []byte("Benchmark"))
	}
	return string(id), string(word), len(bare) < len(line), ok && len(id) > 0
}
