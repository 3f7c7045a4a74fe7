//go:build linux

package main_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestChaos has eight builders link through the shims while whatever they start
// is killed at random: shims in line and with a ticket, drivers, linkers. Never
// may more linkers be alive than there are slots, no slot may be lost, and
// tickets are granted in order.
func TestChaos(t *testing.T) {
	needTools(t, "gcc", "ld", "mold")
	rounds := 2
	if soak() {
		rounds = 200
	}
	for slots := 1; slots <= 4; slots++ {
		t.Run("slots"+strconv.Itoa(slots), func(t *testing.T) {
			c := newChaos(t, slots)
			whole, tries := 0, 0
			for ; whole < rounds; tries++ {
				if tries == 5*rounds {
					t.Fatalf("only in %d of %d rounds could everything be seen", whole, tries)
				}
				if c.round(t, tries) {
					whole++
				}
				if t.Failed() {
					t.Fatalf("round %d", tries+1)
				}
			}
			c.wantOrder(t)
			t.Logf("%d rounds (everything was seen in %d): %d calls, of them %d came through; %d processes killed; %d tickets",
				tries, whole, c.calls.Load(), c.through.Load(), c.killed.Load(), c.tickets(t))
			if c.killed.Load() == 0 || c.through.Load() == 0 {
				t.Error("nothing was killed, or nothing came through: this shows nothing")
			}
		})
	}
}

// chaos is what all rounds with one number of slots share.
type chaos struct {
	lock
	dir                    string
	calls, through, killed atomic.Int64
}

func newChaos(t *testing.T, slots int) *chaos {
	t.Helper()
	c := &chaos{lock: newLock(t, bareEnv(), slots), dir: lay(t, "chaos")}
	begin(t, c.dir, bareEnv(), "gcc", "-fPIC", "-c", "one.c", "-o", "one.o").wait(t)
	return c
}

// linking are the calls that builders make: by a driver that takes the ticket,
// by one whose linker takes it, by the linker alone; and with mold, whose child
// lives on.
var linking = [][]string{
	{"gcc", "one.o", "-o"},
	{"gcc", "one.c", "-o"},
	{"ld", "-r", "one.o", "-o"},
	{"gcc", "-fuse-ld=mold", "one.o", "-o"},
}

// round lets the builders and the killer loose, and then looks whether all
// slots are still there. whole says that no process went unseen, and that no
// overlap is unclear.
func (c *chaos) round(t *testing.T, round int) (whole bool) {
	w := watch(t, c.shims)
	random := rand.New(rand.NewPCG(uint64(round), uint64(c.slots)))
	over := make(chan struct{})
	var killer, builders sync.WaitGroup
	killer.Go(func() { c.kill(w, random, over) })
	for builder := range 8 {
		builders.Go(func() { c.build(t, builder) })
	}
	builders.Wait()
	close(over)
	killer.Wait()
	c.wantSlots(t)
	seen, unseen := w.stop(t)
	if seen.unclear(c.slots) {
		return false
	}
	seen.wantMost(t, c.slots)
	return len(unseen) == 0
}

// waitedInVain is the exit status of a shim whose wait ran out.
const waitedInVain = 75

// build makes links one after another, whatever becomes of them.
func (c *chaos) build(t *testing.T, builder int) {
	for n := range 6 {
		argv := linking[(builder+n)%len(linking)]
		path, err := lookPath(c.env, argv[0])
		if err != nil {
			t.Error(err)
			return
		}
		args := append(append([]string{argv[0]}, argv[1:]...), "out"+strconv.Itoa(builder))
		cmd := exec.Cmd{Path: path, Args: args, Dir: c.dir, Env: c.env}
		c.calls.Add(1)
		switch err := cmd.Run(); {
		case err == nil:
			c.through.Add(1)
		case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == waitedInVain:
			t.Errorf("%q waited for %v in vain: a slot is lost", args, patience)
			return
		}
	}
}

// kills is how many processes of a round are killed: so many that every second
// call comes to nothing.
const kills = 30

// kill ends one of the processes that descend from this one, every now and then.
func (c *chaos) kill(w *watcher, random *rand.Rand, over <-chan struct{}) {
	for range kills {
		select {
		case <-over:
			return
		case <-time.After(time.Duration(random.IntN(40_000)) * time.Microsecond):
		}
		pids := w.left()
		if len(pids) == 0 {
			continue
		}
		if w.kill(pids[random.IntN(len(pids))]) {
			c.killed.Add(1)
		}
	}
}

// kill ends a process if it still is one of ours: the descriptor holds it
// while the watcher is asked again.
func (w *watcher) kill(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	w.mu.Lock()
	_, ours := w.family.threads[pid]
	w.mu.Unlock()
	return ours && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}

// wantSlots has as many links as there are slots stand at gates, all at once:
// each has a ticket, or it would not have come there.
func (c *chaos) wantSlots(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	var made []*build
	var gates []string
	for n := range c.slots {
		gate := filepath.Join(dir, "gate"+strconv.Itoa(n))
		if err := unix.Mkfifo(gate, 0o600); err != nil {
			t.Fatal(err)
		}
		gates = append(gates, gate)
		made = append(made, begin(t, c.dir, c.env, "gcc", "-shared", "one.o", "-o", filepath.Join(dir, "lib"+strconv.Itoa(n)), "-Wl,--version-script="+gate))
	}
	var open []*os.File
	for _, gate := range gates {
		open = append(open, reached(t, gate))
	}
	for n, f := range open {
		pass(t, f, "{ global: *; };")
		made[n].wait(t)
	}
}
