package proc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// mine names a run of this test process.
func mine(t *testing.T, name string) string {
	t.Helper()
	return name + "-" + strconv.Itoa(os.Getpid())
}

// leftover is what a later gpuci would look for: as if this one were dead.
func leftover(t *testing.T, name string) Leftover {
	t.Helper()
	self, err := Real.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return Leftover{Cgroups: LeafParent(), Name: name, Since: self.Start}
}

// Of many commands those of the named run are found, and of no run whose name
// only begins so; more than one of it too.
func TestLeftover(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		named := func(name string) *Process {
			c.Name = name
			return start(t, c, "polite")
		}
		name := mine(t, "run")
		a, b := named(name), named(name)
		longer, other, unnamed := named(name+"0"), named(name+".1"), named("")
		r := leftover(t, name).End(soon(t), Limits{Kill: 5 * time.Second}, nil)
		if len(r.Ended) != 2 || !r.Gone() || len(r.Unknown) != 0 {
			t.Errorf("%+v; want the two of the run", r)
		}
		for _, p := range []*Process{a, b} {
			<-p.Done()
			if p.leaf != nil {
				if _, err := os.Stat(p.leaf.dir); err == nil {
					t.Errorf("%s is still there", p.leaf.dir)
				}
			}
		}
		for _, p := range []*Process{longer, other, unnamed} {
			if alive, err := Real.Alive(p.Identity); err != nil || !alive {
				t.Errorf("%s was ended: %v", p.cmd.Name, err)
			}
			p.End(Limits{}, nil)
		}
	})
}

// What the second way cannot find, as it says: a process that was started
// without the cookie. And what is older than the run is not even asked.
func TestLeftoverWithoutCookie(t *testing.T) {
	c := Command{Argv: []string{"env", "-i", "/bin/sleep", "3600"}, Dir: "/", Env: os.Environ(), NoLeaf: true, Name: mine(t, "naked")}
	p, err := Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	until(t, p.Identity.PID, "is sleep", func(s Stat) bool { return s.Comm == "sleep" })
	l := leftover(t, c.Name)
	l.Cgroups = ""
	if r := l.End(soon(t), Limits{}, nil); len(r.Ended) != 0 || !r.Gone() {
		t.Errorf("%+v; want nothing found", r)
	}
	p.End(Limits{}, nil)
	c.Argv = []string{"/bin/sleep", "3600"}
	if p, err = Start(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	defer p.End(Limits{}, nil)
	l.Since = p.Identity.Start + 1
	if r := l.End(soon(t), Limits{}, nil); len(r.Ended) != 0 || !r.Gone() {
		t.Errorf("%+v; want nothing that is older than the run", r)
	}
	l.Since--
	if r := l.End(soon(t), Limits{}, nil); len(r.Ended) != 1 || !r.Gone() {
		t.Errorf("%+v; want the sleep", r)
	}
}

// A process of somebody else that hangs with its memory locked holds nobody up:
// it is named, and the others are ended.
func TestLeftoverBesideAHungProcess(t *testing.T) {
	mapper := compiled(t, "mapper")
	f := mountStuck(t)
	defer f.Release()
	f.Hold(t)
	stranger := exec.Command(mapper, "map", f.Page)
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // ours is older than any run
	hung := launchReady(t, stranger)
	until(t, hung, "is in D", func(s Stat) bool { return s.State == 'D' })
	p := start(t, Command{NoLeaf: true, Name: mine(t, "beside")}, "stubborn")
	l := leftover(t, p.cmd.Name)
	l.Cgroups = ""
	r := l.End(soon(t), Limits{Kill: 5 * time.Second}, nil)
	if len(r.Ended) != 1 || r.Ended[0].PID != p.Identity.PID || !r.Gone() {
		t.Errorf("%+v; want the command ended", r)
	}
	at := slices.IndexFunc(r.Unknown, func(u Unread) bool { return u.PID == hung })
	if as := (*HungError)(nil); at < 0 || !errors.As(r.Unknown[at].Err, &as) {
		t.Errorf("unknown: %+v; want pid %d, hung", r.Unknown, hung)
	}
}

// In a leaf nobody's environment is asked for.
func TestLeftoverLeafAsksNobody(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		if c.NoLeaf {
			t.Skip("only in a leaf")
		}
		c.Name = mine(t, "leaf")
		start(t, c, "polite")
		r := remains{of: leftover(t, c.Name), ctx: soon(t), asked: make(map[key]answer)}
		var err error
		if r.leaves, err = r.of.leaves(); err != nil || len(r.leaves) != 1 {
			t.Fatalf("%v, %v; want one leaf", r.leaves, err)
		}
		if m, err := r.members(); err != nil || len(m) != 1 || len(r.asked) != 0 {
			t.Errorf("%+v, %v, %d asked", m, err, len(r.asked))
		}
	})
}

// What does not end is stuck, in that list alone; the next try does not wait
// for what has a SIGKILL pending, and sees what has ended since.
func TestLeftoverFrozen(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		dir := freezer(t)
		c.Name = mine(t, "frozen")
		p := start(t, c, "polite")
		put(t, filepath.Join(dir, "cgroup.procs"), strconv.Itoa(p.Identity.PID))
		put(t, filepath.Join(dir, "freezer.state"), "FROZEN")
		l := leftover(t, c.Name)
		if c.NoLeaf {
			l.Cgroups = ""
		}
		for _, lim := range []Limits{{Kill: 300 * time.Millisecond}, {Kill: time.Hour}} {
			r := l.End(soon(t), lim, nil)
			if len(r.Ended) != 0 || len(r.Stuck) != 1 || r.Stuck[0].PID != p.Identity.PID || !r.Stuck[0].Pending || r.Stuck[0].State != 'D' || r.Err != nil {
				t.Errorf("%+v; want the frozen one stuck and nothing ended", r)
			}
		}
		put(t, filepath.Join(dir, "freezer.state"), "THAWED")
		<-p.Done()
		if r := l.End(soon(t), Limits{}, nil); !r.Gone() || len(r.Ended) != 0 {
			t.Errorf("thawed: %+v", r)
		}
	})
}

// Whoever is in a hurry, or has stopped, does not wait for a SIGKILL to work.
func TestLeftoverHurry(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		dir := freezer(t)
		c.Name = mine(t, "hurry")
		p := start(t, c, "polite")
		put(t, filepath.Join(dir, "cgroup.procs"), strconv.Itoa(p.Identity.PID))
		put(t, filepath.Join(dir, "freezer.state"), "FROZEN")
		hurry := make(chan struct{})
		close(hurry)
		if r := leftover(t, c.Name).End(soon(t), Limits{Kill: time.Hour}, hurry); len(r.Stuck) != 1 {
			t.Errorf("%+v", r)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r := leftover(t, c.Name).End(ctx, Limits{Kill: time.Hour}, nil); r.Gone() {
			t.Errorf("%+v; nobody can say that it is gone", r)
		}
		put(t, filepath.Join(dir, "freezer.state"), "THAWED")
		p.End(Limits{}, nil)
		nothingLeft(t, p)
	})
}

// Daemons that may stay are told, and moved out of the leaf, so that it can go.
func TestLeftoverSpares(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		c.Name, c.Argv, c.Dir, c.Env = mine(t, "spares"), []string{"sh", "-c", "sleep 3600 & tail -f /dev/null >/dev/null & echo ready; wait"}, "/", os.Environ()
		p := launched(t, c)
		until(t, p.Identity.PID, "has both children", func(Stat) bool { // they have their names once they were executed
			members, err := p.Members()
			named := func(comm string) bool {
				return slices.ContainsFunc(members, func(s Stat) bool { return s.Comm == comm })
			}
			return err == nil && named("sleep") && named("tail")
		})
		l := leftover(t, c.Name)
		l.Leave = []string{"sleep"}
		if c.NoLeaf {
			l.Cgroups = ""
		}
		r := l.End(soon(t), Limits{}, nil)
		if len(r.Spared) != 1 || r.Spared[0].Comm != "sleep" || len(r.Ended) != 2 || !r.Gone() {
			t.Fatalf("%+v; want the sleep spared and two ended", r)
		}
		if !lives(r.Spared[0]) {
			t.Error("the daemon was ended")
		}
		if p.leaf != nil {
			if _, err := os.Stat(p.leaf.dir); err == nil {
				t.Error("the leaf is still there")
			}
		}
		endNow(t, r.Spared[0])
		p.End(Limits{}, nil)
	})
}

// launched starts a command that says ready.
func launched(t *testing.T, c Command) *Process {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Stdout = w
	p, err := Start(context.Background(), c)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(Limits{}, nil) })
	if _, err := r.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	return p
}

// A gpuci that is itself part of what is left does not end itself.
func TestLeftoverInside(t *testing.T) {
	name := mine(t, "inside")
	t.Setenv(markVariable, "outer.1:"+name+".abc")
	if r := leftover(t, name).End(soon(t), Limits{}, nil); !errors.Is(r.Err, ErrInside) {
		t.Errorf("%+v", r)
	}
}

// One whose environment is not ours to read, though the process is, is named as
// unknown. As another user, since root may read all.
func TestLeftoverUnreadable(t *testing.T) {
	if !asNobody(t) {
		return
	}
	p := start(t, Command{NoLeaf: true, Name: mine(t, "closed")}, "undumpable")
	l := leftover(t, p.cmd.Name)
	r := l.End(soon(t), Limits{}, nil)
	if len(r.Ended) != 0 || !slices.ContainsFunc(r.Unknown, func(u Unread) bool {
		return u.PID == p.Identity.PID && errors.Is(u.Err, fs.ErrPermission)
	}) {
		t.Errorf("%+v; want pid %d unknown", r, p.Identity.PID)
	}
}

// Supervision where no leaf can be made, and nobody may help.
func TestSuperviseAsAnotherUser(t *testing.T) {
	if !asNobody(t) {
		return
	}
	for _, role := range []string{"stubborn", "leaves-stubborn", "leaves-naked", "leaves-generations"} {
		p := startAnyhow(t, Command{Name: mine(t, "nobody")}, role)
		if !errors.Is(p.NoLeaf, ErrNoLeaf) {
			t.Skip("another user can make a leaf here")
		}
		if role != "stubborn" {
			<-p.Done()
		}
		r := p.End(Limits{Settle: 20 * time.Millisecond, Grace: grace, Kill: 20 * time.Second}, nil)
		if len(r.Ended) == 0 || !r.Gone() {
			t.Errorf("%s: %+v", role, r)
		}
		nothingLeft(t, p)
	}
	p := startAnyhow(t, Command{Name: mine(t, "later")}, "stubborn")
	if r := leftover(t, p.cmd.Name).End(soon(t), Limits{}, nil); len(r.Ended) != 1 || !r.Gone() {
		t.Errorf("left: %+v", r)
	}
}

// Both among many idle processes, older and younger than the command. There are
// 5,000 with GPUCI_SOAK=1.
func TestAmongMany(t *testing.T) {
	n := 500
	if os.Getenv("GPUCI_SOAK") == "1" {
		n = 5000
	}
	crowd(t, n)
	bothWays(t, func(t *testing.T, c Command) {
		c.Name = mine(t, "many")
		p := start(t, c, "leaves-stubborn")
		<-p.Done()
		if r := p.End(Limits{Grace: grace}, nil); len(r.Ended) != 1 || !r.Gone() {
			t.Errorf("%+v; want one escapee", r)
		}
		nothingLeft(t, p)
		p = start(t, c, "stubborn")
		l := leftover(t, c.Name)
		l.Since = p.Identity.Start
		if r := l.End(soon(t), Limits{}, nil); len(r.Ended) != 1 || !r.Gone() {
			t.Errorf("left: %+v", r)
		}
	})
	if os.Getenv("GPUCI_SOAK") != "1" {
		return
	}
	p := start(t, Command{NoLeaf: true, Name: mine(t, "young")}, "stubborn")
	self, err := Real.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	l := Leftover{Name: p.cmd.Name, Since: self.Start} // all of them have to be asked
	if r := l.End(soon(t), Limits{}, nil); len(r.Ended) != 1 || !r.Gone() {
		t.Errorf("among as many to ask: %+v", r)
	}
}
