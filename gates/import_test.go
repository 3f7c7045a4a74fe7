package gates

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// away is a run in a directory of its own, and a workspace here that it is to come to.
func away(t *testing.T, run string) (v Verdict, o Importing) {
	t.Helper()
	there, here := t.TempDir(), t.TempDir()
	v = Run(context.Background(), Options{
		Gate: config.Gate{Name: "unit", Run: []config.Command{{Shell: run}}, Reader: "none", Timeout: time.Minute},
		Root: t.TempDir(), State: filepath.Join(there, "it's a \"node\"\n<&>"), Version: "test",
	})
	past := NewPast(context.Background(), history.Options{State: here})
	t.Cleanup(func() { _ = past.Close() })
	return v, Importing{From: v.Dir, State: here, History: past, Run: v.Run, Gate: v.Gate, Exit: v.Exit}
}

func (o Importing) results(t *testing.T) (list []history.Result) {
	t.Helper()
	store, err := o.History.Store()
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range store.Results(context.Background(), history.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// A run that is imported is one of here, once, with all its files.
func TestImport(t *testing.T) {
	v, o := away(t, "echo hello; echo gpuci:metric name=speed value=7; echo gpuci:metric name=odd value=NaN")
	for _, odd := range []string{"link", "sub/file"} {
		path := filepath.Join(v.Dir, odd)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if odd == "link" {
			if err := os.Symlink("/etc/passwd", path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var first Verdict
	for n := range 3 {
		got, err := Import(o)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = got
		} else if diff := cmp.Diff(first, got, cmp.AllowUnexported(Bound{})); diff != "" {
			t.Errorf("imported again it is another: %s", diff)
		}
	}
	dir := filepath.Join(o.State, "runs", v.Run)
	if first.Dir != dir || first.Log != filepath.Join(dir, "run.log") || first.Outcome != v.Outcome || first.Exit != v.Exit {
		t.Errorf("imported %+v", first)
	}
	for name, want := range map[string]bool{"run.log": true, "verdict.json": true, "sub/file": true, "link": false} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "verdict.json"))
	if err != nil || strings.Contains(string(data), "node") {
		t.Errorf("its verdict still names where it was: %s, %v", data, err)
	}
	list := o.results(t)
	if len(list) != 1 || list[0].Run != v.Run || list[0].Dir != dir || !list[0].Started.Equal(v.Started.Truncate(time.Microsecond)) && !list[0].Started.Equal(v.Started) {
		t.Fatalf("the history has %+v", list)
	}
	for _, m := range list[0].Metrics {
		if m.Metric == "odd" {
			t.Errorf("a number that was none is %+v", m)
		}
	}
}

// What is no run of a gate is not imported.
func TestImportOfNone(t *testing.T) {
	for name, text := range map[string]string{
		"torn": `{"type":"verdict","run":"20240501T00`, "a trial": `{"type":"trial","run":"20240501T000000Z-01234567","gate":"g","dir":"/a/20240501T000000Z-01234567"}`,
		"another gate": "", "a path for a run": `{"type":"verdict","run":"../x","gate":"g","dir":"/a/x"}`, "no directory": `{"type":"verdict","run":"20240501T000000Z-01234567","gate":"g"}`,
	} {
		v, o := away(t, "true")
		if name == "another gate" {
			o.Gate = "other"
		} else if err := os.WriteFile(filepath.Join(v.Dir, "verdict.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Import(o); !errors.Is(err, ErrNoVerdict) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(filepath.Join(o.State, "runs")); len(left) > 0 || len(o.results(t)) > 0 {
			t.Errorf("%s: it left %v", name, left)
		}
	}
}

// A gate of which nothing came is in the history as one that was tried.
func TestRecordUnrun(t *testing.T) {
	_, o := away(t, "true")
	began := time.Now().Add(-time.Minute)
	v, err := RecordUnrun(Unrun{
		Gate: "unit", Outcome: Refused, Why: "preempted on n1", Next: []string{"run it again"}, Lane: "kda", Branch: "topic", Commit: "abc", Tree: "def",
		Began: began, Ended: began.Add(30 * time.Second), Log: []byte("so far\n"), State: o.State, History: o.History,
	})
	if err != nil || v.Outcome != Refused || v.Exit != 75 || math.Abs(v.Seconds-30) > 0.001 {
		t.Fatalf("%+v, %v", v, err)
	}
	list := o.results(t)
	if len(list) != 1 || list[0].Run != v.Run || list[0].Outcome != "refused" || list[0].Lane != "kda" || list[0].Findings[0].Text != "preempted on n1" {
		t.Errorf("the history has %+v", list)
	}
	if log, err := os.ReadFile(v.Log); err != nil || string(log) != "so far\n" {
		t.Errorf("its log is %q, %v", log, err)
	}
	for _, said := range []Outcome{Green, Red, KnownRed} {
		if _, err := RecordUnrun(Unrun{Gate: "unit", Outcome: said, State: o.State}); err == nil {
			t.Errorf("nothing came of it, and it is %s", said)
		}
	}
}

func TestSpoil(t *testing.T) {
	for was, want := range map[Outcome]Outcome{Green: Broken, KnownRed: Broken, Attention: Broken, Red: Red, Refused: Refused, OutOfTime: OutOfTime} {
		v := Verdict{Outcome: was, Exit: was.ExitCode(), Findings: []Finding{{was, "first"}}, Metrics: []MetricSummary{{Low: metric.Sample{}}}}
		v.Spoil("not whole", "make room")
		if v.Outcome != want || v.Exit != want.ExitCode() || v.Findings[0] != (Finding{Broken, "not whole"}) || v.Next[0] != "make room" {
			t.Errorf("%s is %+v", was, v)
		}
	}
}
