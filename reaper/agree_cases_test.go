package reaper_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// The conditions of the rule by hand, alone and in pairs: a leaked tree of
// three, cc (100) > collect2 (101) > ld (102), in which one or two things are
// different. What must come of it is written here, not computed.

// condition is one thing that is different, and whom it spares.
type condition struct {
	name   string
	spares []int
	change func(w *world)
}

// tree are the pids of the leaked tree.
func tree() []int { return []int{100, 101, 102} }

// leakedTree is the machine with nothing different: a sweep of lane kda takes
// all three.
func leakedTree() *world {
	w := &world{Self: 900, UID: 1000, Systemd: true, Processes: map[int]reaper.Process{}, Facts: factBook{}, Runs: map[string]reaper.Run{},
		Lanes: []reaper.Lane{
			{Name: "kda", Root: "/wt/kda", Target: "/scratch/kda"},
			{Name: "kda2", Root: "/wt/kda2", Target: "/wt/kda2/target"},
		},
		Wanted: map[string]bool{"kda": true},
	}
	w.put(1, 0, 1, "/usr/lib/systemd/systemd", "/")
	w.put(70, 1, 70, "/usr/lib/systemd/systemd", "/")
	w.put(800, 1, 800, "/bin/zsh", "/wt/kda")
	w.put(900, 800, 800, "/usr/bin/gpuci", "/wt/kda")
	w.put(100, 1, 90, "/usr/bin/cc", "/wt/kda")
	w.put(101, 100, 90, "/usr/lib/gcc/collect2", "/wt/kda")
	w.put(102, 101, 90, "/usr/bin/ld", "/wt/kda/crates")
	return w
}

func (w *world) put(pid, parent, session int, exe, cwd string) {
	w.Processes[pid] = reaper.Process{
		Stat: proc.Stat{PID: pid, PPID: parent, PGRP: session, Session: session, TPGID: -1, State: 'S', Threads: 1, Comm: comm(exe), Start: uint64(pid)},
		UID:  w.UID, UIDKnown: true, Age: time.Minute,
		Exe: proc.Place{Answer: proc.Known, Path: exe},
		Cwd: proc.Place{Answer: proc.Known, Path: cwd},
	}
	w.Facts[pid] = fact{NS: home, Autogroup: uint64(session), Script: "/opt/wrap/" + comm(exe)}
}

// set edits some processes, or the whole tree when none is named.
func (w *world) set(edit func(it *reaper.Process), pids ...int) {
	if len(pids) == 0 {
		pids = tree()
	}
	for _, pid := range pids {
		it := w.Processes[pid]
		edit(&it)
		w.Processes[pid] = it
	}
}

// know edits what is known of one process.
func (w *world) know(pid int, edit func(f *fact)) {
	f := w.Facts[pid]
	edit(&f)
	w.Facts[pid] = f
}

// stand puts the whole tree somewhere.
func (w *world) stand(cwd string) { w.set(func(it *reaper.Process) { it.Cwd.Path = cwd }) }

// below makes a process the tree's parent, in a session that may be its own.
func (w *world) below(parent, session int) {
	w.set(func(it *reaper.Process) { it.PPID = parent }, 100)
	w.set(func(it *reaper.Process) { it.Session, it.PGRP = session, session })
}

// driver puts a living driver above the tree.
func (w *world) driver(exe, cwd string) {
	w.put(80, 800, 80, exe, cwd)
	w.below(80, 80)
}

// TestConditions tries every condition alone, and every two of different kinds
// that are right alone.
func TestConditions(t *testing.T) {
	if !same(t, "nothing", leakedTree(), tree()) {
		return
	}
	wrong := func(c condition) bool { return !holds(t, c) }
	for _, c := range loneConditions() {
		holds(t, c)
	}
	kinds, pairs := conditions(), 0
	for i := range kinds {
		kinds[i] = slices.DeleteFunc(kinds[i], wrong)
	}
	for i, one := range kinds {
		for _, a := range one {
			for _, b := range slices.Concat(kinds[i+1:]...) {
				pairs++
				holds(t, a, b)
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("%d pairs only", pairs)
	}
}

// holds asks both of the leaked tree under some conditions.
func holds(t *testing.T, some ...condition) bool {
	t.Helper()
	w, names, victims := leakedTree(), []string(nil), tree()
	for _, c := range some {
		c.change(w)
		names = append(names, c.name)
		victims = slices.DeleteFunc(victims, func(pid int) bool { return slices.Contains(c.spares, pid) })
	}
	return same(t, strings.Join(names, ", and "), w, victims)
}

// same asks both.
func same(t *testing.T, name string, w *world, want []int) (agree bool) {
	t.Helper()
	agree = true
	got, err := w.reference(clauseNone)
	if err != nil || !slices.Equal(got, want) {
		agree = false
		t.Errorf("%s: the reference would end %v (%v), want %v", name, got, err, want)
	}
	got, err = w.judged()
	problem := w.disorder(got)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) || problem != "" {
		agree = false
		t.Errorf("%s: the package would end %v (%v), want %v %s", name, got, err, want, problem)
	}
	return agree
}

// TestGarbledPicture asks of pictures without process 1 or without ourselves.
func TestGarbledPicture(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"no process 1": func(w *world) { delete(w.Processes, 1) },
		"not we":       func(w *world) { delete(w.Processes, 900) },
		"empty":        func(w *world) { w.Processes = map[int]reaper.Process{} },
		"nil":          func(w *world) { w.Processes = nil },
		"no self":      func(w *world) { w.Self = 0 },
	} {
		w := leakedTree()
		change(w)
		for who, ask := range map[string]func() ([]int, error){
			"reference": func() ([]int, error) { return w.reference(clauseNone) },
			"package":   w.judged,
		} {
			if got, err := ask(); err == nil || len(got) > 0 {
				t.Errorf("%s: the %s would end %v, error %v; want nothing and an error", name, who, got, err)
			}
		}
	}
}
