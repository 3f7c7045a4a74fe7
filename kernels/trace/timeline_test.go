package trace

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// viewed is a trace as a viewer reads it.
type viewed struct {
	Events []struct {
		Name, Cat, Ph, BP, S string
		TS, Dur              *float64
		PID, TID             *int
		ID                   *uint64
		Args                 map[string]any
	} `json:"traceEvents"`
	Unit  string         `json:"displayTimeUnit"`
	Other map[string]any `json:"otherData"`
}

func viewFile(t *testing.T, path string) viewed {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var v viewed
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

type track struct{ pid, tid int }

// holds checks what the format asks for: each event has its fields, what is nested in a
// track ends, slices of a track do not cross, arrows lead from within a slice to the
// beginning of one, and every track has a name.
func (v *viewed) holds(t *testing.T) {
	t.Helper()
	named, ends, depth, arrows := map[track]string{}, map[track]float64{}, map[track]int{}, map[uint64]int{}
	starts, async := map[string]bool{}, map[uint64]int{}
	for i, e := range v.Events {
		if e.PID == nil || e.TID == nil || (e.TS == nil) != (e.Ph == "M") || e.TS != nil && *e.TS < 0 || e.Ph != "E" && e.Name == "" {
			t.Fatalf("event %d: %+v", i, e)
		}
		at := track{*e.PID, *e.TID}
		switch e.Ph {
		case "M":
			if text, ok := e.Args["name"].(string); ok && e.Name == "thread_name" {
				named[at] = text
			}
			continue
		case "X":
			if *e.TS < ends[at]-0.0015 || *e.Dur < 0 {
				t.Errorf("%q at %v begins before what is in its track has ended, at %v", e.Name, *e.TS, ends[at])
			}
			ends[at] = *e.TS + *e.Dur
			starts[fmt.Sprint(at, *e.TS)] = true
		case "B":
			depth[at]++
		case "E":
			if depth[at]--; depth[at] < 0 {
				t.Errorf("event %d ends nothing", i)
			}
		case "b":
			async[*e.ID]++
		case "e":
			async[*e.ID]--
		case "s":
			arrows[*e.ID]++
			if !starts[fmt.Sprint(at, *e.TS)] {
				t.Errorf("an arrow begins outside: %+v", e)
			}
		case "f":
			if arrows[*e.ID]--; e.BP != "e" || !starts[fmt.Sprint(at, *e.TS)] {
				t.Errorf("an arrow ends outside: %+v", e)
			}
		case "i":
		default:
			t.Errorf("phase %q", e.Ph)
		}
		if named[at] == "" {
			t.Errorf("track %v has no name", at)
		}
	}
	for _, left := range []any{depth, async, arrows} {
		if text := fmt.Sprint(left); strings.ContainsAny(strings.ReplaceAll(text[strings.Index(text, "["):], ":0", ""), ":") {
			t.Errorf("something is open: %v", left)
		}
	}
}

func (v *viewed) count(ph, cat, name string) (n int) {
	for _, e := range v.Events {
		n += count(e.Ph == ph && e.Cat == cat && (name == "" || e.Name == name))
	}
	return n
}

// The timeline of a step has its calls, ranges and work, on tracks by thread and stream.
func TestTimeline(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{Include: headers(t, "nvtx3/nvToolsExt.h")})
	script := slices.Replace(twelve(), 8, 9, "push step", "push inner", "pop", "open all")
	script = slices.Replace(script, len(script)-3, len(script)-2, "mark here", "close all", "pop")
	p := timed(t, box, nil, append([]string{"push run"}, append(script, "pop")...)...)
	p.process()
	dir := t.TempDir()
	for name, o := range map[string]TimelineOptions{"a.json": {Stage: "step", Step: 7}, "b.json.gz": {Stage: "step", Step: MedianStep}} {
		line, err := NewTimeline(t.Context(), p.Recording, nil, Counting{Range: "step"}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := line.WriteFile(t.Context(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		v := viewFile(t, filepath.Join(dir, name))
		v.holds(t)
		got := []int{v.count("X", "call", "launch gemm"), v.count("X", "kernel", "gemm"), v.count("X", "copy", "copy to the card"), v.count("X", "graph", ""), v.count("X", "set", ""), v.count("s", "asks", ""), v.count("X", "step", ""), v.count("B", "nvtx", "step"), v.count("B", "nvtx", "run"), v.count("B", "nvtx", "inner"), v.count("b", "nvtx", "all"), v.count("i", "nvtx", "here")}
		if want := []int{10, 10, 1, 1, 1, 13, 1, 1, 1, 1, 1, 1}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if line.Step < 0 || o.Step == 7 && line.Step != 7 || line.Calls != 15 || line.Cut || !line.Timed || v.Other["stage"] != "step" {
			t.Errorf("step %d, %d calls", line.Step, line.Calls)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("left: %v", files)
	}
	_, err := NewTimeline(t.Context(), p.Recording, nil, Counting{Range: "step"}, TimelineOptions{Step: 12})
	var none *NoStep
	if !errors.As(err, &none) || none.First != 0 || none.Last != 11 {
		t.Errorf("%v", err)
	}
	var stage *NoStage
	if _, err := NewTimeline(t.Context(), p.Recording, nil, Counting{}, TimelineOptions{Stage: "none", Step: MedianStep}); !errors.As(err, &stage) {
		t.Errorf("%v", err)
	}
	line, err := NewTimeline(t.Context(), p.Recording, nil, Counting{Range: "step"}, TimelineOptions{Stage: "step", Step: MedianStep})
	if err != nil || line.WriteFile(t.Context(), filepath.Join(dir, "no", "such.json")) == nil {
		t.Errorf("written into a directory that is not there: %v", err)
	}
}

// Without times of the card the calls are there alone; so are recordings of an H200.
func TestTimelineOfTheHost(t *testing.T) {
	for name, calls := range map[string]int{"eager": 56, "graph": 1} {
		r, err := ReadDir("testdata/h200/" + name)
		if err != nil {
			t.Fatal(err)
		}
		line, err := NewTimeline(t.Context(), r, nil, Counting{}, TimelineOptions{Stage: "step", Step: 20})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "line.json")
		if err := line.WriteFile(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		v := viewFile(t, path)
		v.holds(t)
		if v.count("X", "call", "") != calls || line.Calls != calls || line.Timed || line.Pieces != 0 {
			t.Errorf("%s: %d calls, %d pieces", name, line.Calls, line.Pieces)
		}
	}
}
