package trace

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// measured takes numbers from a directory.
func measured(t *testing.T, dir string, how Counting, want ...Wanted) (Measurement, error) {
	t.Helper()
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r.Measure(t.Context(), how, want)
}

// measureForged takes them from what a forge made.
func (f *forge) measure(how Counting, want ...Wanted) []Figure {
	f.t.Helper()
	dir := f.t.TempDir()
	f.write(dir)
	r, err := ReadDir(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	m, err := r.Measure(f.t.Context(), how, want)
	if err != nil {
		f.t.Fatal(err)
	}
	return m.Figures
}

// wantFigure holds a figure against "LOW MEDIAN HIGH of N in PROCESSES", or the beginning
// of why there is none.
func wantFigure(t *testing.T, name string, f Figure, want string) {
	t.Helper()
	got := fmt.Sprintf("%v %v %v of %d in %d", f.Low, f.Median, f.High, f.N, f.Processes)
	if f.Why != "" {
		got = f.Why
	}
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s: %s, want %s", name, got, want)
	}
}

func kernelsOf(stage, pattern string) Wanted {
	return Wanted{"launches", stage, regexp.MustCompile(pattern)}
}

// TestMeasureRecorded: what the report says of a run of an H200, as numbers.
func TestMeasureRecorded(t *testing.T) {
	const step = "step"
	for name, list := range map[string][]struct {
		want Wanted
		text string
	}{
		"eager": {
			{Wanted{"launches", step, nil}, "55 55 55 of 35 in 1"},
			{Wanted{"copies", step, nil}, "1 1 1 of 35 in 1"},
			{Wanted{"launches", WholeRun, nil}, "2474 2474 2474 of 1 in 1"},
			{Wanted{"launches", outsideLabel, nil}, "274 274 274 of 1 in 1"},
			{Wanted{"allocations", WholeRun, nil}, "11 11 11 of 1 in 1"},
			{Wanted{"high-bytes", WholeRun, nil}, "2.0788224e+08 "},
			{Wanted{"syncs", WholeRun, nil}, "14 14 14 of 1 in 1"},
			{Wanted{"graph-launches", step, nil}, "0 0 0 of 35 in 1"},
			{kernelsOf(step, "."), "55 55 55 of 35 in 1"},
			{kernelsOf(step, "nosuchkernel"), "0 0 0 of 35 in 1"},
			{Wanted{"capture-allocations", step, nil}, "capture-allocations is of the whole run"},
			{Wanted{"launch-ns", WholeRun, nil}, "a time is of a stage"},
			{Wanted{"launches", "nosuch", nil}, `find the stage "nosuch": there is none; there are `},
		},
		"graph": {
			{Wanted{"launches", step, nil}, "0 0 0 of 35 in 1"},
			{Wanted{"graph-launches", step, nil}, "1 1 1 of 35 in 1"},
			{Wanted{"graph-kernels", step, nil}, "55 55 55 of 35 in 1"},
			{Wanted{"graph-kernels", step, regexp.MustCompile("gemm")}, "40 launches were of graphs whose kernels are not known by name"},
			{kernelsOf(step, "gemm"), "graphs were launched 40 times, whose kernels are no launches"},
			{Wanted{"capture-allocations", WholeRun, nil}, "4 4 4 of 1 in 1"},
		},
	} {
		var want []Wanted
		for _, one := range list {
			want = append(want, one.want)
		}
		m, err := measured(t, "testdata/h200/"+name, Counting{}, want...)
		if err != nil {
			t.Fatal(err)
		}
		for i, one := range list {
			wantFigure(t, fmt.Sprint(name, " ", one.want), m.Figures[i], one.text)
		}
		if text := m.Text(); !strings.HasPrefix(text, "1 process; ") || !strings.Contains(text, "40 steps of step, the first 5 set apart") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestMeasureKernels: by name they are those of the report.
func TestMeasureKernels(t *testing.T) {
	s := recorded(t, "eager").stage(t, "step")
	var want []Wanted
	for _, k := range s.Kernels {
		want = append(want, kernelsOf("step", "^"+regexp.QuoteMeta(k.Symbol)+"$"))
	}
	m, err := measured(t, "testdata/h200/eager", Counting{}, want...)
	if err != nil || len(want) < 5 {
		t.Fatal(err, len(want))
	}
	for i, k := range s.Kernels {
		if f := m.Figures[i]; f.Low != f.High || f.Low*35 != float64(k.Launches) {
			t.Errorf("%s: %+v, want %d in 35 steps", k.Name, f, k.Launches)
		}
	}
}

// TestMeasureTimes are the report's own, a median with the tenths around it.
func TestMeasureTimes(t *testing.T) {
	s := recorded(t, "eager").stage(t, "step")
	m, err := measured(t, "testdata/h200/eager", Counting{}, Wanted{"launch-ns", "step", nil}, Wanted{"step-ms", "step", nil}, Wanted{"call-ms", "step", nil})
	if err != nil {
		t.Fatal(err)
	}
	price, step, call := m.Figures[0], m.Figures[1], m.Figures[2]
	if price.Median != float64(s.Price.Launch.Median) || price.Low != float64(s.Price.Launch.Low) || price.High != float64(s.Price.Launch.High) || price.N == 0 {
		t.Errorf("%+v, want %+v", price, s.Price.Launch)
	}
	if step.Median != float64(s.Took.Median)/1e6 || step.N != 35 {
		t.Errorf("%+v, want %+v", step, s.Took)
	}
	if call.Median != float64(s.Counts[HostNS].Median)/1e6 || call.High != float64(s.Counts[HostNS].High)/1e6 {
		t.Errorf("%+v, want %+v", call, s.Counts[HostNS])
	}
}

// TestMeasureSteps: the first ones are apart, what differs is told from low to high, and a
// step without a call counts as one with none.
func TestMeasureSteps(t *testing.T) {
	f := newForge(t)
	fast, ops := f.kernel("_Z8kda_fastPf", 1), f.kernel("kda_op", 1)
	for i := range 6 {
		f.push(fmt.Sprint("step ", i))
		if i < 2 {
			f.launch(ops)
		}
		if i != 3 {
			f.launch(fast)
			f.copy("cuMemcpyHtoDAsync_v2", uint64(100*i))
		}
		if i == 5 {
			f.launch(fast)
		}
		f.pop()
	}
	kept := f.alloc(1 << 20)
	f.release(f.alloc(4096))
	_ = kept
	got := f.measure(Counting{Warm: 2},
		Wanted{"launches", "step", nil}, kernelsOf("step", "^kda_fast$"), kernelsOf("step", "kda_op"), kernelsOf(WholeRun, "kda_op"),
		Wanted{"copy-bytes", "step", nil}, Wanted{"kept-bytes", WholeRun, nil}, Wanted{"kept", "step", nil}, Wanted{"frees", outsideLabel, nil}, Wanted{"high-bytes", WholeRun, nil})
	for i, want := range []string{"0 1 2 of 4 in 1", "0 1 2 of 4 in 1", "0 0 0 of 4 in 1", "2 2 2 of 1 in 1", "0 200 500 of 4 in 1", "1.048576e+06 1.048576e+06 1.048576e+06 of 1 in 1", "0 0 0 of 1 in 1", "1 1 1 of 1 in 1", "1.052672e+06 "} {
		wantFigure(t, fmt.Sprint(i), got[i], want)
	}
	for i, one := range f.measure(Counting{Warm: 6}, Wanted{"launches", "step", nil}, kernelsOf("step", "kda")) {
		wantFigure(t, fmt.Sprint("all apart ", i), one, `"step" has 6 steps, and the first 6 are set apart`)
	}
}

// TestMeasureUnknown: what was not noted is no 0.
func TestMeasureUnknown(t *testing.T) {
	f := newForge(t)
	f.push("step 1")
	f.event(Copy, Unsized, f.call("cuMemcpy3D_v2"), 0, 1)
	f.event(GraphLaunch, 0, 77, 7, 1)
	f.pop()
	got := f.measure(Counting{Warm: -1}, Wanted{"copies", "step", nil}, Wanted{"copy-bytes", "step", nil}, Wanted{"graph-launches", "step", nil}, Wanted{"graph-kernels", "step", nil}, Wanted{"copy-bytes", outsideLabel, nil})
	for i, want := range []string{"1 1 1 ", "the size of 1 of its calls is not known", "1 1 1 ", "1 launches were of graphs of which nothing is known", "0 0 0 of 1"} {
		wantFigure(t, fmt.Sprint(i), got[i], want)
	}
}

// TestMeasureNothing: a recording that does not stand gives no number, and says what to do.
func TestMeasureNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h *rawHead)
		want   string
	}{
		"refused": {func(h *rawHead) { h.State = uint32(Refused); copy(h.Why[:], "no CUPTI could be loaded") }, "process 4711 (python3) was not counted: no CUPTI"},
		"made":    {func(h *rawHead) { h.State = uint32(Made) }, "no process of it used CUDA"},
		"dropped": {func(h *rawHead) { h.Dropped = 7; copy(h.Why[:], "the disk is full") }, "of process 4711 (python3) 7 calls were lost: the disk is full"},
		"partial": {func(h *rawHead) { copy(h.Why[:], "no room for names") }, "of process 4711 (python3) not all was recorded: no room"},
	} {
		f := newForge(t)
		f.launch(f.kernel("k", 1))
		c.change(&f.head)
		dir := t.TempDir()
		f.write(dir)
		_, err := measured(t, dir, Counting{}, Wanted{"launches", WholeRun, nil})
		var no *Uncounted
		if !errors.As(err, &no) || !strings.HasPrefix(no.Why, c.want) || no.Next == "" {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	f := newForge(t)
	f.push("step 1") // it used CUDA, and launched nothing
	f.pop()
	wantFigure(t, "nothing", f.measure(Counting{}, Wanted{"launches", WholeRun, nil})[0], "0 0 0 of 1 in 1")
}

// TestMeasureLines: a step by a line of output has the number of its launches, also where
// it had none.
func TestMeasureLines(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	var lines []Line
	for i := range 4 {
		for range i % 2 {
			f.launch(k)
		}
		f.wait(time.Millisecond)
		lines = append(lines, Line{At: forgeBegan.Add(f.now), Step: i})
		f.wait(time.Millisecond)
	}
	f.sync(time.Microsecond)
	got := f.measure(Counting{Lines: lines, Warm: -1}, Wanted{"launches", LineStep, nil}, kernelsOf(LineStep, "k"))
	for i, one := range got {
		wantFigure(t, fmt.Sprint(i), one, "0 0 1 of 4 in 1")
	}
}

// TestMeasureDir: a run whose output had no line of a step has no steps, and one of which
// nothing is there used no CUDA.
func TestMeasureDir(t *testing.T) {
	dir, want := t.TempDir(), []Wanted{{"launches", LineStep, nil}}
	for _, c := range []string{"no process of it used CUDA", "no line of its output fits the pattern of a step", ""} {
		m, err := MeasureDir(t.Context(), dir, want)
		var no *Uncounted
		switch {
		case c != "" && (!errors.As(err, &no) || !strings.HasPrefix(no.Why, c)):
			t.Errorf("%v, want %s", err, c)
		case c == "" && err != nil:
			t.Error(err)
		case c == "":
			wantFigure(t, "lines", m.Figures[0], "2 2 2 of 1 in 1")
			continue
		}
		f := newForge(t)
		f.launch(f.kernel("k", 1))
		f.launch(f.kernel("k", 1))
		f.write(dir)
		meta := Meta{Pattern: `step (\d+)`}
		if err := meta.Write(dir); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(c, "no line") {
			log, err := NewStepLog(dir)
			if err != nil {
				t.Fatal(err)
			}
			log.Add(Line{At: forgeBegan.Add(time.Second), Step: 1})
			if _, err := log.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestMeasureNames(t *testing.T) {
	for _, name := range MeasureNames() {
		m, ok := MeasureOf(name)
		unit := map[string]string{"bytes": "B", "ns": "ns", "ms": "ms", "share": "share"}[name[strings.LastIndex(name, "-")+1:]]
		if !ok || m.Unit != unit && (unit != "" || m.Unit != "count") {
			t.Errorf("%s is in %s", name, m.Unit)
		}
		if m.Kind == TimeMeasure != (strings.HasSuffix(m.Unit, "s") || m.Card) {
			t.Errorf("%s in %s is of kind %d", name, m.Unit, m.Kind)
		}
	}
	if _, ok := MeasureOf("lunches"); ok {
		t.Error("there is one of no name")
	}
}
