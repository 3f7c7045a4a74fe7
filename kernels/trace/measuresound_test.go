package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMeasureUnbegun: beside a process that was counted, a file without a head is of one
// that was not.
func TestMeasureUnbegun(t *testing.T) {
	for name, content := range map[string][]byte{"empty": nil, "zeros": make([]byte, headSize)} {
		f, dir := newForge(t), t.TempDir()
		f.launch(f.kernel("k", 1))
		f.write(dir)
		if err := os.WriteFile(filepath.Join(dir, "4712-99.events"), content, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := measured(t, dir, Counting{}, Wanted{"launches", WholeRun, nil})
		if no := (*Uncounted)(nil); !errors.As(err, &no) || !strings.HasPrefix(no.Why, "1 process made a file and recorded nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStepsBack: numbers may begin again, come twice and leave some out; those of two
// programs that print at one time go back to and fro.
func TestStepsBack(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "3": "", "0 1 2 3": "", "1 1 2 2 3": "", "10 20 30 35": "", "0 1 2 0 1 2": "", "5 6 0 1 5 6": "",
		"0 0 1 1 2 1 2": "from 2 to 1", "0 1 0 1 2 1": "from 2 to 1", "7 8 9 8": "from 9 to 8",
	} {
		var lines []Line
		for _, word := range strings.Fields(text) {
			var l Line
			if _, err := fmt.Sscan(word, &l.Step); err != nil {
				t.Fatal(err)
			}
			l.At = forgeBegan.Add(time.Duration(len(lines)) * time.Second)
			lines = append(lines, l)
		}
		if err := stepsBack(lines); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestMeasureUnnamed: a launch of a kernel that has no name may be one of any kernel, and
// a graph of which no node is known may hold any.
func TestMeasureUnnamed(t *testing.T) {
	f := newForge(t)
	f.launch(f.kernel("k", 1))
	f.event(GraphLaunch, 0, f.name("G", "0xe1\t0x9\t0,0,0"), 7, 1)
	f.event(Alloc, 0, f.call("cuMemAlloc_v2"), 64, 0)
	got := f.measure(Counting{}, Wanted{"graph-kernels", WholeRun, nil}, Wanted{"graph-launches", WholeRun, nil}, Wanted{"kept", WholeRun, nil}, Wanted{"allocations", WholeRun, nil})
	for i, want := range []string{"1 launches were of graphs of which nothing", "1 1 1 ", "of 1 allocations it is not known", "1 1 1 "} {
		wantFigure(t, fmt.Sprint(i), got[i], want)
	}
	for name, id := range map[string]func(*forge) uint32{"none": func(*forge) uint32 { return 0 }, "empty": func(f *forge) uint32 { return f.kernel("", 1) }} {
		f := newForge(t)
		f.launch(f.kernel("k", 1))
		f.launch(id(f))
		got := f.measure(Counting{}, kernelsOf(WholeRun, "kernel"), Wanted{"launches", WholeRun, nil})
		wantFigure(t, name, got[0], "1 launches were of kernels whose name is not known")
		wantFigure(t, name, got[1], "2 2 2 ")
	}
}

// TestMeasureWaiting: what waits for the card is a call that synchronises, and a copy that
// is not asynchronous; of each step, and of processes one each.
func TestMeasureWaiting(t *testing.T) {
	f := newForge(t)
	for i := range 3 {
		f.push(fmt.Sprint("step ", i))
		f.launch(f.kernel("k", 1))
		f.copy("cuMemcpyDtoH_v2", 4)
		f.copy("cuMemcpyDtoHAsync_v2", 4)
		if i == 2 {
			f.sync(time.Microsecond)
		}
		f.pop()
	}
	got := f.measure(Counting{Warm: 1}, Wanted{"waiting-calls", "step", nil}, Wanted{"syncs", "step", nil}, Wanted{"waiting-calls", WholeRun, nil}, Wanted{"processes", WholeRun, nil}, kernelsOf("step", "^k"), kernelsOf("step", "^nosuch"))
	for i, want := range []string{"1 1 2 of 2", "0 0 1 of 2", "4 4 4 ", "1 1 1 of 1 in 1", "1 1 1 ", "0 0 0 "} {
		wantFigure(t, fmt.Sprint(i), got[i], want)
	}
	if got[4].Fit != 1 || got[5].Fit != 0 {
		t.Errorf("%d and %d kernels fit", got[4].Fit, got[5].Fit)
	}
}

// TestMeasurementText: how many processes have a stage, and which were cut short.
func TestMeasurementText(t *testing.T) {
	dir := t.TempDir()
	for pid := range 3 {
		f := newForge(t)
		f.head.PID = uint32(pid + 1)
		if pid == 2 {
			f.head.EndedAt = 0
		}
		for i := range 2 * pid {
			f.push(fmt.Sprint("step ", i))
			f.launch(f.kernel("k", 1))
			f.pop()
		}
		f.launch(f.kernel("k", 1))
		f.write(dir)
	}
	m, err := measured(t, dir, Counting{}, Wanted{"processes", WholeRun, nil})
	if err != nil {
		t.Fatal(err)
	}
	wantFigure(t, "processes", m.Figures[0], "3 3 3 of 1 in 3")
	const want = "3 processes, 1 of which did not come to an end of their own (a signal, or _exit); 4 steps of step in 2 of them, the first set apart"
	if got := m.Text(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestMeasureGraphKernels: kernels of graphs by name, of each step, where a capture made all
// of the graph; of another one there is no number.
func TestMeasureGraphKernels(t *testing.T) {
	f := newForge(t)
	fast, other := f.kernel("fast", 1), f.kernel("other", 1)
	graph := func(handle uint32, nodes int, kernels ...uint32) uint32 {
		f.event(Capture, 0, f.call("cuStreamBeginCapture_v2"), 7, 0)
		for _, k := range kernels {
			f.event(Launch, Captured, k, 7, 1)
		}
		f.event(Capture, 0, f.call("cuStreamEndCapture"), 7, handle)
		id := f.name("G", fmt.Sprintf("0xe%d\t0x%x\t%d,0,1", handle, handle, nodes))
		f.event(Instantiate, 0, id, 0, 1)
		return id
	}
	two, one, sets := graph(0xa0, 3, fast, fast, other), graph(0xb0, 1, other), graph(0xd0, 0)
	changed := graph(0xc0, 2, fast)
	for i := range 3 {
		f.push(fmt.Sprint("step ", i))
		for _, id := range []uint32{two, two, one, sets} {
			f.event(GraphLaunch, 0, id, 7, 1)
		}
		f.launch(fast)
		f.pop()
	}
	nodes := func(stage, pattern string) Wanted {
		return Wanted{"graph-kernels", stage, regexp.MustCompile(pattern)}
	}
	got := f.measure(Counting{Warm: 1}, nodes("step", "^fast"), nodes("step", "other"), nodes("step", "nosuch"), nodes(WholeRun, "."), Wanted{"graph-kernels", "step", nil})
	for i, want := range []string{"4 4 4 of 2", "3 3 3 of 2", "0 0 0 of 2", "21 21 21 of 1", "7 7 7 of 2"} {
		wantFigure(t, fmt.Sprint(i), got[i], want)
	}
	if got[0].Fit != 1 || got[2].Fit != 0 {
		t.Errorf("%d and %d kernels fit", got[0].Fit, got[2].Fit)
	}
	f.event(GraphLaunch, 0, changed, 7, 1)
	got = f.measure(Counting{Warm: 1}, nodes("step", "^fast"), nodes(WholeRun, "^fast"), kernelsOf("step", "^fast"))
	for i, want := range []string{"4 4 4 of 2", "1 launches were of graphs whose kernels are not known by name", "graphs were launched 12 times"} {
		wantFigure(t, fmt.Sprint(i), got[i], want)
	}
}
