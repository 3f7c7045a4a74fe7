package gates

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
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

// astray are the processes of a run that use CUDA and are not counted, of which nothing in
// the recording says so where another is. Those that are seen are found; there is no way to
// see all.
type astray struct {
	found   []string          // that lost the environment (env -i, sudo), or are counted for somebody else
	silent  map[string]silent // that had it
	blind   string            // the process that held a look up: nobody was looked at after that
	settled map[string]bool   // processes that need not be looked at again
}

// silent is a process that had the environment of the run, uses CUDA and has no file here:
// it took variables away before, or may not reach the directory. While CUDA is loaded each
// process is so for a moment, and counts when it still is so at the next look.
type silent struct {
	name  string
	looks int
}

// look looks until the context ends, and once more then; twice where somebody is silent.
func (t *tracing) look(ctx context.Context, members func() ([]proc.Stat, error)) {
	tick := time.NewTicker(astrayEvery)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
		}
		if !t.lookAll(members) {
			return
		}
	}
	if len(t.silent) > 0 {
		<-tick.C
		t.lookAll(members)
	}
}

// lookAll looks at each; false where one held us up, and nobody is looked at any more.
func (t *tracing) lookAll(members func() ([]proc.Stat, error)) bool {
	list, _ := members() // of those that cannot be listed nothing is said
	for _, p := range list {
		if !t.lookAt(p) {
			t.blind = fmt.Sprintf("%s (pid %d)", p.Comm, p.PID)
			return false
		}
	}
	return true
}

// lookAt looks at one; false where it held us up.
func (t *tracing) lookAt(p proc.Stat) bool {
	if p.State == 'D' {
		return true
	}
	type seen struct {
		lacks bool
		use   cudaUse
	}
	// A program that becomes another by exec is looked at again: its name, or what it lacks, is another.
	keys := map[bool]string{false: fmt.Sprint(p.PID, p.Start, p.Comm), true: fmt.Sprint(p.PID, p.Start, p.Comm, " lacks it")}
	over := map[bool]bool{false: t.settled[keys[false]], true: t.settled[keys[true]]}
	said := make(chan seen, 1)
	go func() {
		s := seen{lacks: t.lacksEnv(p.PID)} // before what is mapped: that of one that ends meanwhile is empty, and so is what it has mapped
		if !over[s.lacks] {
			s.use = t.used(p.PID)
		}
		said <- s
	}()
	select {
	case <-time.After(astrayWait):
		return false
	case s := <-said:
		t.saw(p, keys[s.lacks], s.lacks, s.use)
	}
	return true
}

// saw takes in what a look at a process saw.
func (t *tracing) saw(p proc.Stat, key string, lacks bool, u cudaUse) {
	if t.settled == nil {
		t.settled, t.silent = make(map[string]bool), make(map[string]silent)
	}
	name := fmt.Sprintf("%s (pid %d)", p.Comm, p.PID)
	switch {
	case u.counted:
		t.settled[key] = true
		delete(t.silent, key)
	case u.driver && lacks:
		t.settled[key] = true
		t.found = append(t.found, name)
	case u.driver && (u.library || u.card):
		t.silent[key] = silent{name, t.silent[key].looks + 1}
	}
}

// lacksEnv says whether a process was started without what has it counted here.
func (t *tracing) lacksEnv(pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && (lacks(env, trace.DirVariable+"="+t.dir) || lacks(env, trace.LibraryVariable+"="+t.library))
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
	if len(a.found) > 0 {
		return &trace.Uncounted{
			Why:  strings.Join(a.found, ", ") + " had the driver of CUDA and not the environment of the run (sudo, env -i, a gpuci trace within it): what it asked for was not counted",
			Next: "let what starts it pass the environment on",
		}
	}
	var names []string
	for _, s := range a.silent {
		if s.looks > 1 {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return &trace.Uncounted{
		Why:  strings.Join(names, ", ") + " used CUDA and has no file in the recording: what it asked for was not counted",
		Next: "does it take " + trace.LibraryVariable + " or " + trace.DirVariable + " out of its environment, or run as a user that may not reach the run's directory?",
	}
}
