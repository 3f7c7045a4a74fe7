package trace

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/trace/tracetest"
)

// timed plays a script with the times of the card.
func timed(t *testing.T, box *tracetest.Box, env []string, lines ...string) played {
	t.Helper()
	all, err := Attach(Attachment{Dir: t.TempDir(), Library: library(t), Timed: true}, append(box.Env(), env...))
	if err != nil {
		t.Fatal(err)
	}
	return playWith(t, box.Command(all, lines...))
}

func reportOn(t *testing.T, r Recording) *ProcessReport {
	t.Helper()
	report, err := NewReport(t.Context(), r, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	return &report.Processes[0]
}

// twelve is a program of twelve steps on two streams: a copy of 400 us runs beside ten
// kernels of 50 us, a graph of three kernels of 20 us behind them.
func twelve() []string {
	script := []string{"init", "device 0", "takes 20000", "begin c", "launch node 1 32 c 3", "finish c g", "instantiate g e"}
	return append(script, "repeat 12", "push step", "takes 400000", "copy cuMemcpyHtoDAsync_v2 4096 other", "takes 50000", "launch gemm 64 128 s 10",
		"takes 20000", "replay e s", "sync s", "sync other", "takes 1000", "set cuMemsetD8Async 100 s", "pop", "end", "sync")
}

// What the card did is tied to the calls that asked for it, whatever clock CUPTI has.
func TestTimesOfTheCard(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{Include: headers(t, "nvtx3/nvToolsExt.h")})
	for name, env := range map[string][]string{"our clock": nil, "CUPTI's own": {"CUPTI_STANDIN_CLOCK=own"}} {
		t.Run(name, func(t *testing.T) {
			p := reportOn(t, timed(t, box, env, twelve()...).Recording)
			if d := p.Device; d == nil || d.Untied != 0 || d.Untimed != 0 || d.Open != 0 || d.Work != 12*13 || d.Clock.Pairs < 2 {
				t.Fatalf("%+v, %+v", p.Timed, p.Device)
			}
			s := p.Stages[0]
			for _, one := range p.Stages {
				if one.Name == "step" {
					s = one
				}
			}
			if len(s.Device) != 1 || s.Untimed != 0 {
				t.Fatalf("%+v", s.Device)
			}
			d := s.Device[0]
			if !near(d.Kernels.Median, 560*time.Microsecond) || !near(d.Copies.Median, 401*time.Microsecond) || d.Busy.N != int64(s.Warm()) {
				t.Errorf("%+v", d)
			}
			if d.Busy.Median < 559*time.Microsecond || d.Busy.Median > 962*time.Microsecond || d.Overlap.N != d.Busy.N {
				t.Errorf("busy %v, overlap %v", d.Busy, d.Overlap)
			}
			// All but the set at the end is waited for within its step.
			if d.Late.High > 2*time.Microsecond {
				t.Errorf("late %v", d.Late)
			}
			if k := s.Kernels[0]; k.Name != "gemm" || k.Device == nil || k.Device.N != k.Launches || !near(k.Device.Each.Median, 50*time.Microsecond) {
				t.Errorf("%+v", k)
			}
			if g := p.Graphs[0].Device; g == nil || g.N != 12 || !near(g.Each.Median, 60*time.Microsecond) {
				t.Errorf("%+v", g)
			}
			if idle := d.Share; idle.N != int64(s.Warm()) || idle.Median < 0 || idle.Median >= 1 {
				t.Errorf("%+v", idle)
			}
		})
	}
}

// near allows for clocks that are read one after the other.
func near(got, want time.Duration) bool { return max(got-want, want-got) <= time.Microsecond }

// What is missing is counted, and said.
func TestTimesThatAreMissing(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	script := []string{"init", "device 0", "launch k 1 1 s 40"}
	p := reportOn(t, timed(t, box, []string{"CUPTI_STANDIN_DROP=4"}, append(script, "sync s")...).Recording)
	if d := p.Device; d == nil || d.Dropped != 10 || d.Untimed != 10 || d.Work != 30 {
		t.Errorf("dropped: %+v", p.Device)
	}
	p = reportOn(t, timed(t, box, nil, append(script, "sync s", "takes 4000000000", "launch long 1 1 s")...).Recording)
	if d := p.Device; d == nil || d.Open != 1 || d.Untied != 0 || d.Untimed != 1 || d.Work != 41 {
		t.Errorf("not ended: %+v", p.Device)
	}
	p = reportOn(t, timed(t, box, []string{"CUPTI_STANDIN_ACTIVITY=35"}, script...).Recording)
	if p.Device != nil || !strings.Contains(p.Timed.Why, "INSUFFICIENT_PRIVILEGES") || p.Whole[Launches] != 40 {
		t.Errorf("refused: %+v, %+v", p.Timed, p.Device)
	}
	p = reportOn(t, play(t, box, script...).Recording)
	if p.Device != nil || p.Timed != (Timed{}) {
		t.Errorf("not asked for: %+v", p.Timed)
	}
}

// A program that is killed loses what was in CUPTI's buffers, and no more than that: what
// had ended is on disk before long.
func TestTimesOfTheKilled(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	dir := t.TempDir()
	env, err := Attach(Attachment{Dir: dir, Library: library(t), Timed: true}, box.Env())
	if err != nil {
		t.Fatal(err)
	}
	cmd := box.Command(env, "init", "device 0", "launch k 1 1 s 100", "sync s", "await", "takes 4000000000", "launch k 1 1 s 7", "say asked", "sync s")
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	wait(t, func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*.device"))
		if len(files) == 0 {
			return false
		}
		info, err := os.Stat(files[0])
		return err == nil && info.Size() > 100*workSize
	})
	_, _ = in.Write([]byte("go on\n"))
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if line != "asked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p := reportOn(t, r); p.Device == nil || p.Device.Work != 100 || p.Device.Untimed != 7 || p.Clean {
		t.Errorf("%+v", p.Device)
	}
}

func wait(t *testing.T, until func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !until(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come to that within a minute")
		}
	}
}
