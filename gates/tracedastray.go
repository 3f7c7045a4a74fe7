package gates

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuci/kernels/trace"
	"gpuci/reaper/proc"
)

const (
	// astrayEvery is how often the processes of a run are looked at: listing them takes a
	// few milliseconds, and what is over sooner than this is not seen.
	astrayEvery = 500 * time.Millisecond
	// astrayWait is how long one of them may hold up a look: the kernel takes a lock of the
	// process, which somebody stuck in D can hold for long.
	astrayWait = 2 * time.Second
)

// astray are the processes of a run that have the driver of CUDA and lost the environment
// (env -i, sudo), or are counted for somebody else: what one asks for is not counted, and nothing in the recording says so
// where another is. Those that are seen are found; there is no way to see all.
type astray struct {
	found   []string
	settled map[string]bool // processes that need not be looked at again
}

// look looks until the context ends, and once more then.
func (t *tracing) look(ctx context.Context, members func() ([]proc.Stat, error)) {
	tick := time.NewTicker(astrayEvery)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
		}
		list, _ := members() // of those that cannot be listed nothing is said
		for _, p := range list {
			if !t.lookAt(p) {
				return
			}
		}
	}
}

// lookAt looks at one; false where it held us up, and nobody is looked at any more.
func (t *tracing) lookAt(p proc.Stat) bool {
	key := fmt.Sprint(p.PID, p.Start, p.Comm) // a program that becomes another by exec is looked at again
	if t.settled[key] || p.State == 'D' {
		return true
	}
	type seen struct{ counted, lost bool }
	said := make(chan seen, 1)
	go func() {
		lacks := t.lacksEnv(p.PID) // before what is mapped: that of one that ends meanwhile is empty, and so is what it has mapped
		counted, cuda := t.mapped(p.PID)
		said <- seen{counted, cuda && lacks && !counted}
	}()
	select {
	case <-time.After(astrayWait):
		return false
	case s := <-said:
		if !s.counted && !s.lost {
			return true
		}
		if s.lost {
			t.found = append(t.found, fmt.Sprintf("%s (pid %d)", p.Comm, p.PID))
		}
		if t.settled == nil {
			t.settled = make(map[string]bool)
		}
		t.settled[key] = true
	}
	return true
}

// mapped says whether a process has a file of this recording, and the driver of CUDA. One
// that is gone has neither.
func (t *tracing) mapped(pid int) (counted, cuda bool) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return false, false
	}
	defer file.Close()
	here := t.mappedDir()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		_, name, _ := strings.Cut(lines.Text(), "/")
		dir, base := filepath.Split("/" + name)
		counted = counted || filepath.Clean(dir) == here
		cuda = cuda || strings.HasPrefix(base, "libcuda.so")
	}
	return counted, cuda
}

// mappedDir is the recording's directory as the kernel writes it in maps.
func (t *tracing) mappedDir() string {
	dir, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		dir = t.dir
	}
	return strings.ReplaceAll(dir, "\n", `\012`)
}

// lacksEnv says whether a process was started without what has it counted here.
func (t *tracing) lacksEnv(pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && lacks(env, trace.DirVariable+"="+t.dir)
}

// lacks says whether a variable is not in an environment. Nothing is said of one that has
// been written over, as by programs that change their title.
func lacks(env []byte, variable string) bool {
	for _, v := range bytes.Split(bytes.TrimSuffix(env, []byte{0}), []byte{0}) {
		if string(v) == variable || len(env) > 0 && !bytes.Contains(v, []byte("=")) {
			return false
		}
	}
	return true
}

// lost is the error of a run of which processes went astray; nil where none did.
func (a *astray) lost() error {
	if len(a.found) == 0 {
		return nil
	}
	return &trace.Uncounted{
		Why:  strings.Join(a.found, ", ") + " had the driver of CUDA and not the environment of the run (sudo, env -i, a gpuci trace within it): what it asked for was not counted",
		Next: "let what starts it pass the environment on",
	}
}
