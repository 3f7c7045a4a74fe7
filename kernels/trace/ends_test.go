package trace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// However the program ends, it ends as it does without us, and all that it did before is
// there.
func TestEnds(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	for line, clean := range map[string]bool{"exit 0": true, "exit 7": true, "_exit 9": false, "abort": false, "kill 9": false, "kill 11": false, "kill 15": false} {
		script := []string{"init", "device 0", "repeat 100", "launch k 1 1", "end", line}
		alone := box.Command(nil, script...)
		alone.Run()
		p := play(t, box, script...)
		if p.code != status(alone.ProcessState) || p.err != nil || len(p.Processes) != 1 || p.Processes[0].Clean != clean {
			t.Errorf("%s: status %d, alone %d, %v: %+v", line, p.code, status(alone.ProcessState), p.err, p.Processes)
			continue
		}
		if n := counted(all(t, &p.Processes[0]))["launch k [1 1 1] [1 1 1] legacy"]; n != 100 {
			t.Errorf("%s: %d launches", line, n)
		}
	}
}

// Where CUPTI is not to be had, the program runs as it did, and the file says why.
func TestRefused(t *testing.T) {
	lines := []string{"init", "device 0", "launch k 1 1", "exit 3"}
	for name, c := range map[string]struct {
		first, env, why string // first: a line
		code            int
		hide            bool
	}{
		"other":     {first: "subscribe", why: "another profiler is attached already: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", code: 39},
		"privilege": {env: "CUPTI_STANDIN_ERROR=35", why: "CUPTI does not attach: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", code: 35},
		"unknown":   {env: "CUPTI_STANDIN_ERROR=1", why: "CUPTI does not attach: CUPTI_ERROR_INVALID_PARAMETER", code: 1},
		"none":      {hide: true, why: "no CUPTI could be loaded: libcupti.so.13: cannot open shared object file"},
	} {
		t.Run(name, func(t *testing.T) {
			box := tracetest.Start(t, tracetest.Options{})
			if c.hide {
				box.HideCUPTI()
			}
			t.Setenv("GPUCI_TRACE_CUPTI", "/of/the/caller") // which is not the box's
			p := playWith(t, box.Command(append(attached(t, t.TempDir(), box.Env()), c.env), append([]string{c.first}, lines...)...))
			if p.code != 3 || p.err != nil || len(p.Processes) != 1 {
				t.Fatalf("status %d, %v: %s", p.code, p.err, p.out)
			}
			one := p.Processes[0]
			if one.State != Refused || !strings.HasPrefix(one.Why, c.why) || one.Error != c.code || !one.Clean {
				t.Errorf("%+v", one)
			}
			if got := all(t, &one); len(got) != 0 {
				t.Errorf("it has events: %q", got)
			}
		})
	}
}

// A CUPTI that the loader does not find is loaded by its path.
func TestNamedCUPTI(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	env, err := Attach(Attachment{Dir: t.TempDir(), Library: library(t), CUPTI: box.HideCUPTI()}, box.Env())
	if err != nil {
		t.Fatal(err)
	}
	p := playWith(t, box.Command(env, "init", "device 0", "launch k 1 1")).process()
	same(t, all(t, p), "launch k [1 1 1] [1 1 1] legacy")
}

// A program that never uses CUDA does not load the library, and one that does loads it
// with CUDA's driver and not before.
func TestLoadedByTheDriverAlone(t *testing.T) {
	box, dir := tracetest.Start(t, tracetest.Options{}), t.TempDir()
	p := playWith(t, box.Command(attached(t, dir, box.Env()), "say hello", "maps libgpuci-trace", "exit 4"))
	var none *NoRecording
	files, err := os.ReadDir(dir)
	if p.code != 4 || p.out != "hello\nlibgpuci-trace is not mapped\n" || !errors.As(p.err, &none) || len(files) != 0 || err != nil {
		t.Errorf("status %d, %v, %q, %d files", p.code, p.err, p.out, len(files))
	}
	p = play(t, box, "maps libgpuci-trace", "init", "maps libgpuci-trace")
	if p.process(); p.out != "libgpuci-trace is not mapped\nlibgpuci-trace is mapped\n" {
		t.Errorf("%q", p.out)
	}
}

// A child of a program that uses CUDA writes nothing into its parent's files, and one that
// uses CUDA where its parent has not has files of its own, also behind the parent's ranges.
func TestForks(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{Include: headers(t, "nvtx3/nvToolsExt.h")})
	p := play(t, box, "push a", "init", "device 0", "launch k 1 1", "fork", "push lost", "expect 3", "init", "pop", "end", "launch k 1 1", "pop").process()
	same(t, all(t, p), "push a", "launch k [1 1 1] [1 1 1] legacy", "launch k [1 1 1] [1 1 1] legacy", "pop ")

	r := play(t, box, "push parent", "fork", "init", "device 0", "push child", "launch k 1 1", "pop", "exit 0", "end", "pop")
	if r.err != nil || r.code != 0 || len(r.Processes) != 2 || r.Processes[1].Parent != r.Processes[0].PID {
		t.Fatalf("%d, %v: %+v: %s", r.code, r.err, r.Processes, r.out)
	}
	same(t, all(t, &r.Processes[0]), "push parent", "pop ")
	same(t, all(t, &r.Processes[1]), "push child", "launch k [1 1 1] [1 1 1] legacy", "pop ")
	if r.Processes[0].State != Made || r.Processes[1].State != Attached {
		t.Errorf("%+v", r.Processes)
	}
}

// A process that becomes another program keeps its number and its beginning: each image
// has files.
func TestExec(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	second := box.Script("init", "device 0", "launch second 1 1", "exit 5")
	p := play(t, box, "init", "device 0", "launch first 1 1", "exec "+second)
	if p.code != 5 || p.err != nil || len(p.Processes) != 2 || p.Processes[0].PID != p.Processes[1].PID || p.Processes[0].Start != p.Processes[1].Start {
		t.Fatalf("%d, %v: %+v", p.code, p.err, p.Processes)
	}
	got := slices.Concat(all(t, &p.Processes[0]), all(t, &p.Processes[1]))
	same(t, got, "launch first [1 1 1] [1 1 1] legacy", "launch second [1 1 1] [1 1 1] legacy")
}

// A directory in which no file can be made leaves the program as it was.
func TestNoDirectory(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	for _, dir := range []string{"/proc/self", filepath.Join(t.TempDir(), "gone"), "/" + strings.Repeat("d/", 3000)} {
		p := playWith(t, box.Command(attached(t, dir, box.Env()), "init", "device 0", "launch k 1 1", "say still here", "exit 8"))
		if p.code != 8 || p.out != "still here\n" {
			t.Errorf("%.30s: %d: %s", dir, p.code, p.out)
		}
	}
}

// A program that closes what it does not know, and is given the numbers again, has nothing
// of ours in its files, and all is recorded.
func TestClosedDescriptors(t *testing.T) {
	p := play(t, tracetest.Start(t, tracetest.Options{}), "init", "device 0", "launch before 1 1", "closefds", "launch after 1 1 legacy 40000", "launch last 1 1").process()
	n := counted(all(t, p))
	if n["launch after [1 1 1] [1 1 1] legacy"] != 40000 || n["launch last [1 1 1] [1 1 1] legacy"] != 1 {
		t.Errorf("%v", n)
	}
}
