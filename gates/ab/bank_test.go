package ab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Each rule of banking is asked for by itself.
func TestUnmet(t *testing.T) {
	g := config.Gate{Name: "speed", Profile: "release"}
	b := config.Bank{Samples: 20, Seeds: 8, Steps: 3, Warm: 1, Confidence: 0.99, Least: 0.01, MostThrown: 0.5, Profile: "release", Quiet: true, Age: 24 * time.Hour, Quality: []string{"loss"}}
	now := time.Now()
	good := func() *Report {
		sum := judge.Summary{Samples: 20}
		return &Report{
			End: End{State: Answered}, Started: now, Profile: "release", Seeds: 10, Steps: 3, Rule: RuleOf(b), Arms: []ArmSum{{Arm: Arm{Name: "a"}}, {Arm: Arm{Name: "b"}}},
			Metrics: []Metric{{judge.Metric{Name: "step-ms"}, true}, {judge.Metric{Name: "loss", Quality: true}, false}},
			Judged:  judge.Comparison{Verdict: judge.Win, Answers: []judge.Answer{{Metric: judge.Metric{Name: "step-ms"}, Control: sum, Arm: sum}}},
		}
	}
	l := Log{Session: Session{Settings: gates.SettingsID(g)}}
	if unmet := Unmet(good(), b, g, l, now); len(unmet) > 0 {
		t.Fatalf("%q", unmet)
	}
	for word, spoil := range map[string]func(*Report){
		"no answer":        func(r *Report) { r.End.State = Stopped },
		"cannot be said":   func(r *Report) { r.Judged.Verdict = judge.CannotSay },
		"arms are one":     func(r *Report) { r.AA = true },
		"(samples)":        func(r *Report) { r.Judged.Answers[0].Arm.Samples = 19 },
		"(seeds)":          func(r *Report) { r.Seeds = 7 },
		"(steps)":          func(r *Report) { r.Steps = 2 },
		"(warm)":           func(r *Report) { r.Rule.Warm = 0 },
		"(confidence)":     func(r *Report) { r.Rule.Confidence = 0.9 },
		"(least-effect)":   func(r *Report) { r.Rule.Least = 0.001 },
		"(most-thrown)":    func(r *Report) { r.Rule.MostThrown = 0.9 },
		"(profile)":        func(r *Report) { r.Profile = "" },
		"(quiet)":          func(r *Report) { r.Shared = true },
		"(age)":            func(r *Report) { r.Started = now.Add(-25 * time.Hour) },
		"(quality)":        func(r *Report) { r.Metrics = r.Metrics[:1] },
		"thrown out":       func(r *Report) { r.Judged.Answers[0].Lopsided = true },
		"the other arms":   func(r *Report) { r.Uneven = true },
		"are in no commit": func(r *Report) { r.Arms[1].Own = true },
	} {
		r := good()
		spoil(r)
		if unmet := Unmet(r, b, g, l, now); len(unmet) != 1 || !strings.Contains(unmet[0], word) {
			t.Errorf("%s: %q", word, unmet)
		}
	}
	for quality, want := range map[string]int{"loss:lower:1%": 0, "loss:5%": 0, "loss:0.5%": 1} {
		b := b
		b.Quality = []string{quality}
		if unmet := Unmet(good(), b, g, l, now); len(unmet) != want {
			t.Errorf("%s: %q", quality, unmet)
		}
	}
	if unmet := Unmet(good(), b, g, Log{Session: Session{Settings: "other"}}, now); len(unmet) != 1 || !strings.Contains(unmet[0], "settings") {
		t.Errorf("%q", unmet)
	}
}

// A line is added once, whatever is in its texts, and nothing to what is not ours.
func TestAppendTSV(t *testing.T) {
	root := t.TempDir()
	d := history.Decision{ID: someID, Who: "a\tb", Why: "two\nlines, a \\ and a \r", Verdict: "win"}
	for i, want := range []bool{true, false} {
		if added, err := AppendTSV(root, "sub/bank.tsv", d); err != nil || added != want {
			t.Fatalf("%d: %v, %v", i, added, err)
		}
	}
	d.ID = "20261201T090000Z-0a1b2c3d"
	if added, err := AppendTSV(root, "sub/bank.tsv", d); err != nil || !added {
		t.Fatal(added, err)
	}
	data, err := os.ReadFile(filepath.Join(root, "sub/bank.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 4 || lines[3] != "" {
		t.Fatalf("%q", data)
	}
	for _, l := range lines[:3] {
		if n := strings.Count(l, "\t"); n != len(columns)-1 {
			t.Errorf("%d tabs in %q", n, l)
		}
	}
	if !strings.HasSuffix(lines[1], `two\nlines, a \\ and a \r`) || !strings.Contains(lines[1], `a\tb`) {
		t.Errorf("%q", lines[1])
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	head := strings.Join(columns, "\t") + "\n"
	for name, text := range map[string]string{"a.tsv": "x\ty\n", "b.tsv": head + "torn", "c.tsv": head + "<<<<<<< HEAD\n", "e.tsv": head + "||||||| 1234567\n", "f.tsv": head + "=======\r\n", "out/d.tsv": "", "dir": ""} {
		path := filepath.Join(root, name)
		if name == "dir" {
			err = os.Mkdir(path, 0o755)
		} else if text != "" {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := AppendTSV(root, name, d); !errors.Is(err, ErrTSV) {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(path); name != "dir" && string(now) != text {
			t.Errorf("%s was changed: %q", name, now)
		}
	}
}

func TestFlags(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.rs"), []byte("x\nFUSED: bool = true;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := config.Gate{Env: map[string]string{"FAST": "1"}, Run: []config.Command{{Shell: "make bench TILE=32"}, {Argv: []string{"./bench", "--fused"}}}}
	for flag, want := range map[string]bool{
		"config:a.rs:^FUSED: bool = true": true, "config:a.rs:FUSED: bool = false": false, "config:gone.rs:x": false,
		"edit:a.rs:FUSED: bool = false=>FUSED: bool": true, "edit:a.rs:= true=>=": false, "edit:a.rs:, debug=>": true, "edit:a.rs:x=>": false,
		"edit:a.rs:x=>x\nFUSED": true, "edit:gone.rs:x=>": false,
		"env:FAST=1": true, "env:FAST=0": false, "env:SLOW=1": false, "arg:--fused": true, "arg:TILE=32": false,
	} {
		if err := CheckFlag(flag); err != nil {
			t.Errorf("%s: %v", flag, err)
		}
		on, known, why := On(t.Context(), worktrees.Lane{}, root, "", g, flag)
		if on != want || !known {
			t.Errorf("%s: %v, %v, %s", flag, on, known, why)
		}
	}
	for _, flag := range []string{"", "fast", "env:x", "arg:", "edit:a.rs:x", "edit:../a:x=>y", "config:a.rs", "config:../a:x", "config:a.rs:(", "what:x"} {
		if CheckFlag(flag) == nil {
			t.Errorf("%q is taken for a flag", flag)
		}
	}
	got := FlagsOf(ArmSum{Arm: Arm{Edits: []Edit{{"a.rs", "x", "FUSED: bool = (true)"}}, Env: []string{"K=V"}, Args: []string{"--t"}}, At: "c0ffee"})
	if text := strings.Join(got, " "); text != `config:a.rs:FUSED: bool = \(true\) env:K=V arg:--t` {
		t.Error(text)
	}
	got = FlagsOf(ArmSum{Arm: Arm{Commit: "feature", Edits: []Edit{{"a.rs", "-O2 -g", "-O2"}, {"a.rs", "x", ""}}}, At: "c0ffee"})
	if text := strings.Join(got, " "); text != "edit:a.rs:-O2 -g=>-O2 edit:a.rs:x=> commit:c0ffee" {
		t.Error(text)
	}
	if got := FlagsOf(ArmSum{At: "c0ffee"}); len(got) != 1 || got[0] != "commit:c0ffee" {
		t.Error(got)
	}
}

func TestSinceCards(t *testing.T) {
	d := history.Decision{Card: "NVIDIA H200", Driver: "580.1"}
	for _, c := range []struct {
		driver string
		models []string
		want   Since
	}{
		{"580.1", []string{"NVIDIA H200"}, Since{}},
		{"590.1", []string{"NVIDIA L4", "NVIDIA H200"}, Since{Driver: "590.1"}},
		{"580.1", []string{"NVIDIA L4"}, Since{NoCard: "NVIDIA H200"}},
		{"", nil, Since{}},
	} {
		var s Since
		if s.Cards(d, c.driver, c.models); s.Driver != c.want.Driver || s.NoCard != c.want.NoCard || s.Any() != c.want.Any() {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}
