package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// libraries is where the library is compiled to, once for all tests.
var libraries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gpuci-trace-")
	if err != nil {
		panic(err)
	}
	libraries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var compiledOnce = sync.OnceValues(func() (string, error) {
	return Library(context.Background(), LibraryOptions{Dir: libraries})
})

func library(t testing.TB) string {
	t.Helper()
	path, err := compiledOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// headers is the include directory of NVIDIA's packages of PyPI that has a file. They are
// in .cache/cuda, or in the environment of VIRTUAL_ENV.
func headers(t testing.TB, file string) string {
	t.Helper()
	for _, env := range []string{"../../.cache/cuda", os.Getenv("VIRTUAL_ENV")} {
		found, _ := filepath.Glob(filepath.Join(env, "lib/python3*/site-packages/nvidia/*/include", file))
		if env != "" && len(found) > 0 {
			dir, err := filepath.Abs(strings.TrimSuffix(found[0], file))
			if err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	missing(t, "no "+file+" of NVIDIA's packages in .cache/cuda or VIRTUAL_ENV")
	return ""
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// played is what a traced program left.
type played struct {
	t    *testing.T
	out  string
	code int // 128+n of a signal
	Recording
	err error // of reading it
}

// play traces a script in a box.
func play(t *testing.T, box *tracetest.Box, lines ...string) played {
	t.Helper()
	return playWith(t, box.Command(attached(t, t.TempDir(), box.Env()), lines...))
}

// attached is the environment in which all is traced into a directory.
func attached(t *testing.T, dir string, env []string) []string {
	t.Helper()
	env, err := Attach(Attachment{Dir: dir, Library: library(t)}, env)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func playWith(t *testing.T, cmd *exec.Cmd) played {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	p := played{t: t, out: out.String(), code: status(cmd.ProcessState)}
	p.Recording, p.err = ReadDir(variable(cmd.Env, traceDir))
	return p
}

// process is the only one, of a program that ended well.
func (p played) process() *Process {
	p.t.Helper()
	if p.err != nil || len(p.Processes) != 1 || p.code != 0 {
		p.t.Fatalf("exit status %d, %v: %+v\n%s", p.code, p.err, p.Processes, p.out)
	}
	return &p.Processes[0]
}

// events are those of a process, and its names.
func events(t *testing.T, p *Process) ([]Event, Names) {
	t.Helper()
	names, err := p.Names()
	if err != nil {
		t.Fatal(err)
	}
	var all []Event
	if err := p.Events(t.Context(), func(e Event) bool { all = append(all, e); return true }); err != nil {
		t.Fatal(err)
	}
	return all, names
}

// says is an event in words.
func says(e Event, n Names) string {
	w := []string{}
	switch e.Kind {
	case Launch:
		k := n.Kernels[e.Name]
		w = append(w, "launch", k.Symbol, fmt.Sprint(k.Grid, k.Block), onStream(e))
	case GraphLaunch, Instantiate:
		g := n.Graphs[e.Name].Nodes
		w = append(w, map[Kind]string{GraphLaunch: "replay", Instantiate: "instantiate"}[e.Kind], fmt.Sprintf("of %d kernels %d copies %d sets %d allocs", g.Kernels, g.Copies, g.Sets, g.Allocs))
	case Capture:
		w = append(w, n.Calls[e.Name])
	case Alloc, Release:
		w = append(w, n.Calls[e.Name], fmt.Sprint(e.Value, " #", e.Other))
	case Copy, Set:
		w = append(w, n.Calls[e.Name], fmt.Sprint(e.Value))
	case Push, Open, Mark, Pop, Close:
		w = append(w, map[Kind]string{Push: "push", Open: "open", Mark: "mark", Pop: "pop", Close: "close"}[e.Kind], n.Text(&e))
	default:
		w = append(w, n.Calls[e.Name])
	}
	for i, flag := range []string{"failed", "captured", "unsized", "pooled"} {
		if e.Flags&(1<<i) != 0 {
			w = append(w, flag)
		}
	}
	return strings.Join(w, " ")
}

func onStream(e Event) string {
	switch e.Value {
	case 0:
		return "legacy"
	case 2:
		return "own"
	}
	return "stream"
}

// all are the events in words, without those that only get a kernel ready.
func all(t *testing.T, p *Process) (lines []string) {
	t.Helper()
	list, names := events(t, p)
	for _, e := range list {
		if s := says(e, names); e.Kind != Place && s != "cuModuleLoadData" && s != "cuModuleGetFunction" {
			lines = append(lines, s)
		}
	}
	return lines
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("event %d is another:\ngot\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// counted is how often each is there.
func counted(lines []string) map[string]int {
	n := map[string]int{}
	for _, s := range lines {
		n[s]++
	}
	return n
}

func names(files []os.DirEntry) (all []string) {
	for _, f := range files {
		all = append(all, f.Name())
	}
	return slices.Sorted(slices.Values(all))
}
