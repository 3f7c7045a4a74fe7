package trace

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func diffOf(t *testing.T, a, b *forge) (Difference, string) {
	t.Helper()
	d := Diff(a.report(Counting{}), b.report(Counting{}))
	if _, err := json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	return d, diffText(t, d)
}

func diffText(t *testing.T, d Difference) string {
	t.Helper()
	var text strings.Builder
	if err := d.Text(&text, Page{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func stageDiff(t *testing.T, d Difference, name string) StageDifference {
	t.Helper()
	for _, s := range d.Processes[0].Stages {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no stage %q in %+v", name, d)
	return StageDifference{}
}

// TestDiffOfTheSame: also where one ran longer.
func TestDiffOfTheSame(t *testing.T) {
	for _, steps := range []int{20, 33} {
		d, text := diffOf(t, trained(t, 20, nil), trained(t, steps, nil))
		if !d.Same || !strings.Contains(text, "all counts are the same") || strings.Contains(text, "differs") {
			t.Errorf("%d steps: %s", steps, text)
		}
	}
}

// TestDiffOfPlanted: what is planted in the second is what is told of, and nothing else.
func TestDiffOfPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(f *forge, step int)
		want  []string // quantities
		text  []string
	}{
		"a doubled launch": {func(f *forge, _ int) { f.launch(f.kernel("_Z3addPfi", 8)) }, []string{"launches"},
			[]string{"launches            11          12          +1", "changed", "add"}},
		"a synchronisation": {func(f *forge, _ int) { f.sync(time.Millisecond) }, []string{"syncs"}, []string{"synchronising calls 1 2 +1", "a step took, on the host: 542 us in A, 1.54 ms in B: differs, by the medians +1.00 ms"}},
		"a leak": {func(f *forge, _ int) { f.alloc(1 << 20) }, []string{"allocs", "alloc-bytes", "high-bytes"},
			[]string{"never released, of cuMemAlloc_v2: nothing in A, 20 allocations, 20 MiB together, in B"}},
		"a new kernel":  {func(f *forge, _ int) { f.launch(f.kernel("_Z5extraPf", 3)) }, []string{"launches"}, []string{"new", "extra"}},
		"larger copies": {func(f *forge, _ int) { f.copy("cuMemcpyHtoDAsync_v2", 1<<20) }, []string{"copies", "bytes-htod"}, []string{"4 KiB"}},
		"a graph":       {func(f *forge, _ int) { f.event(GraphLaunch, 0, f.graph(55), 0, 0) }, []string{"graph-launches", "graph-kernels"}, []string{"+55"}},
	} {
		d, text := diffOf(t, trained(t, 20, nil), trained(t, 20, c.plant))
		s := stageDiff(t, d, "step")
		var got []string
		for _, change := range s.Counts {
			got = append(got, change.Quantity.String())
		}
		if d.Same || strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if out := stageDiff(t, d, Outside); !out.same() {
			t.Errorf("%s: outside of steps %+v", name, out)
		}
		for _, want := range c.text {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s: %q is not in\n%s", name, want, text)
			}
		}
	}
}

// TestDiffOfShapes: as many launches of a kernel in other shapes are a change.
func TestDiffOfShapes(t *testing.T) {
	grid := func(n int) *forge {
		return trained(t, 20, func(f *forge, _ int) { f.launch(f.kernel("_Z5extraPf", n)) })
	}
	d, text := diffOf(t, grid(3), grid(4))
	if s := stageDiff(t, d, "step"); d.Same || len(s.Counts) != 0 || len(s.Kernels) != 1 || !s.Kernels[0].Reshaped || !strings.Contains(text, "other shapes") {
		t.Errorf("%+v\n%s", s, text)
	}
}

// TestDiffOfTimes: it says that a time differs only where the spreads do not meet.
func TestDiffOfTimes(t *testing.T) {
	slower := func(by time.Duration) *forge {
		return trained(t, 20, func(f *forge, step int) { f.wait(time.Duration(step%10)*10*time.Microsecond + by) })
	}
	for by, differs := range map[time.Duration]bool{0: false, 30 * time.Microsecond: false, 500 * time.Microsecond: true} {
		d, text := diffOf(t, slower(0), slower(by))
		if !d.Same {
			t.Errorf("by %s: counts differ\n%s", by, text)
		}
		for _, x := range stageDiff(t, d, "step").Times {
			if want := differs && x.What == "step"; x.Differs != want {
				t.Errorf("by %s: %+v\n%s", by, x, text)
			}
		}
	}
}

// TestDiffOfProcesses: those of one name go together in their order.
func TestDiffOfProcesses(t *testing.T) {
	report := func(commands ...string) Report {
		dir := t.TempDir()
		for i, command := range commands {
			f := trained(t, 3, nil)
			f.head.PID, f.head.Real = uint32(100+i), f.head.Real+uint64(i)
			f.head.Command = [64]byte{}
			copy(f.head.Command[:], command)
			f.write(dir)
		}
		return reportIn(t, dir, Counting{})
	}
	d := Diff(report("rank", "rank", "loader"), report("rank", "eval"))
	var got []string
	for _, p := range d.Processes {
		got = append(got, p.Command+string(p.Only))
	}
	if d.Same || strings.Join(got, " ") != "rank ranka loadera evalb" {
		t.Errorf("%v", got)
	}
	var b strings.Builder
	if err := d.Text(&b, Page{}); err != nil || !strings.Contains(b.String(), "loader: only in A") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestTooFewSteps: of two steps and two nobody can tell, however far apart they are.
func TestTooFewSteps(t *testing.T) {
	slower := func(steps int, by time.Duration) *forge {
		return trained(t, steps, func(f *forge, _ int) { f.wait(by) })
	}
	for steps, differs := range map[int]bool{2: false, 3: false, 5: false, 6: true, 20: true} { // the first one is set apart
		d, text := diffOf(t, slower(steps, 0), slower(steps, time.Second))
		s := stageDiff(t, d, "step")
		if took := s.Times[0]; took.What != "step" || took.Differs != differs || took.Few == differs {
			t.Errorf("%d steps: %+v", steps, took)
		}
		want := "in B: differs, by the medians +1.00 s"
		if !differs {
			want = fmt.Sprintf("too few steps to tell, %d of 5", steps-1)
		}
		if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, want) || !strings.Contains(text, "a step took, on the host: ") {
			t.Errorf("%d steps: %q is not in\n%s", steps, want, text)
		}
	}
}

// TestDiffOfOneStage: what differs in another stage is no difference of it.
func TestDiffOfOneStage(t *testing.T) {
	a, b := pretended(t, false).report(Counting{}), pretended(t, false)
	b.push("eval 9")
	b.launch(b.kernel("extra", 1))
	b.pop()
	d := Diff(a, b.report(Counting{}))
	eval, err := d.Only("eval")
	if err != nil || eval.Same || len(eval.Processes) != 1 || len(eval.Processes[0].Stages) != 1 {
		t.Errorf("%v, %+v", err, eval)
	}
	step, err := d.Only("step")
	if err != nil || !step.Same {
		t.Errorf("%v, %+v", err, step)
	}
	if _, err := d.Only("evil"); err == nil || !strings.Contains(err.Error(), `"eval"`) {
		t.Errorf("%v", err)
	}
	gone := Report{Processes: []ProcessReport{{Process: Process{Command: "python3", State: Attached}}}}
	if only, err := Diff(a, gone).Only("eval"); err != nil || only.Same || only.Processes[0].Stages[0].Only != OnlyA {
		t.Errorf("%v, %+v", err, only)
	}
}
