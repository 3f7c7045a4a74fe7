package trace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPattern(t *testing.T) {
	for pattern, c := range map[string]struct {
		line string
		step int
		ok   bool
	}{
		`step (\d+)`:              {"epoch 1 step 17 loss 0.3", 17, true},
		`(\w+) (?P<step>\d+)/\d+`: {"iter 3/100", 3, true},
		`it (\S+)`:                {"it x", 0, false},
		`step (\d+) `:             {"step 5", 0, false},
		`step (\d+)|done`:         {"done", 0, false},
		`(-\d+)`:                  {"-4", 0, false},
		`n(\d+)`:                  {"n99999999999999999999", 0, false},
	} {
		p, err := ParsePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if step, ok := p.Step([]byte(c.line)); ok != c.ok || ok && step != c.step {
			t.Errorf("%s on %q: %d, %v", pattern, c.line, step, ok)
		}
	}
	for _, bad := range []string{"step [", "step"} {
		if _, err := ParsePattern(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestStepLog(t *testing.T) {
	dir := t.TempDir()
	if lines, err := ReadSteps(dir); err != nil || lines != nil {
		t.Errorf("%v, %v", lines, err)
	}
	log, err := NewStepLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Unix(1764500000, 12345).UTC()
	log.Add(Line{At: began.Add(time.Second), Step: 1})
	log.Add(Line{At: began, Step: 0}) // standard error's, that was read later
	if n, err := log.Close(); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	want := []Line{{At: began, Step: 0}, {At: began.Add(time.Second), Step: 1}}
	path := filepath.Join(dir, stepsFile)
	whole, _ := os.ReadFile(path)
	for _, tail := range []string{"", `{"at":"2025-`} { // a writer that was killed
		if err := os.WriteFile(path, append(whole, tail...), 0o644); err != nil {
			t.Fatal(err)
		}
		if lines, err := ReadSteps(dir); err != nil || cmp.Diff(want, lines) != "" {
			t.Errorf("%v, %v", lines, err)
		}
	}
	if err := os.WriteFile(path, append([]byte("no step\n"), whole...), 0o644); err != nil {
		t.Fatal(err)
	}
	if lines, err := ReadSteps(dir); err == nil {
		t.Errorf("%v of a broken file", lines)
	}
}

// TestMetaOpensReport: the pattern's lines and the warm steps of the run hold where the
// caller says nothing.
func TestMetaOpensReport(t *testing.T) {
	dir := t.TempDir()
	if m, err := ReadMeta(dir); m != nil || err != nil {
		t.Errorf("%v, %v", m, err)
	}
	f := newForge(t)
	k := f.kernel("k", 1)
	log, err := NewStepLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 9 {
		f.launch(k)
		log.Add(Line{At: forgeBegan.Add(f.now), Step: step})
		f.wait(time.Microsecond)
	}
	n, err := log.Close()
	if err != nil {
		t.Fatal(err)
	}
	f.write(dir)
	m := Meta{Command: []string{"python3", "train.py"}, Began: forgeBegan.UTC(), Pattern: `step (\d+)`, Lines: n, Warm: 3, Code: 7, Ended: forgeBegan.Add(time.Minute).UTC()}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	m.Type = "trace-run"
	if got, err := ReadMeta(dir); err != nil || cmp.Diff(&m, got) != "" {
		t.Errorf("%v %s", err, cmp.Diff(&m, got))
	}
	r := reportIn(t, dir, Counting{})
	if s := r.stage(t, LineStep); s.Steps != 9 || s.Apart != 3 || r.Run.Code != 7 {
		t.Errorf("%+v", s)
	}
	if s := reportIn(t, dir, Counting{Warm: 1}).stage(t, LineStep); s.Apart != 1 {
		t.Errorf("%+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, metaFile+".*")); len(left) != 0 {
		t.Errorf("%v", left)
	}
}
