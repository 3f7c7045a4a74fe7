package proc

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startBackground runs an interactive command that leaves two processes
// behind: one in our process group, and one in a session of its own.
func startBackground(ctx context.Context, t *testing.T, c Command) *Process {
	t.Helper()
	c.Argv = []string{"sh", "-c", "sleep 3600 & setsid sleep 3600 & while [ $(pgrep -c -P $$ sleep) -lt 2 ]; do :; done"}
	c.Dir, c.Env, c.Interactive = "/", os.Environ(), true
	p, err := Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if !p.Exit().Clean() {
		t.Fatalf("the command: %v", p.Exit())
	}
	return p
}

// What an ended command left in the background goes on after Release, outside
// of the leaf, and no later end of anything meets it.
func TestRelease(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		p := startBackground(ctx, t, c)
		left := p.Release()
		for _, s := range left {
			id := Identity{PID: s.PID, Start: s.Start, BootID: p.Identity.BootID}
			defer func() { // ours to end, and as their subreaper to collect
				_ = Real.Signal(id, unix.SIGKILL)
				_, _ = unix.Wait4(id.PID, nil, 0, nil)
			}()
		}
		if len(left) != 2 || slices.ContainsFunc(left, func(s Stat) bool { return s.Comm != "sleep" }) {
			t.Fatalf("left are %+v, want two sleeps", left)
		}
		if p.leaf != nil {
			if _, err := os.Stat(p.leaf.dir); err == nil {
				t.Errorf("the leaf %s is still there", p.leaf.dir)
			}
		}
		cancel()
		p.End(Limits{}, nil)
		c.Argv, c.Dir, c.Env, c.Interactive = []string{"true"}, "/", os.Environ(), true
		next, err := Start(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		<-next.Done()
		if r := next.End(Limits{}, nil); len(r.Ended) != 0 {
			t.Errorf("the end of the next command ended %+v", r.Ended)
		}
		for _, s := range left {
			if now, err := Real.Stat(s.PID); err != nil || now.Start != s.Start || now.Zombie() {
				t.Errorf("pid %d is gone: %v", s.PID, err)
			}
		}
	})
}

// End ends the same two, though one of them is in our own process group; and a
// reader of ours that works meanwhile is neither counted nor collected.
func TestInteractiveEnd(t *testing.T) {
	bothWays(t, func(t *testing.T, c Command) {
		p := startBackground(context.Background(), t, c)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for range 20 {
			if _, err := Real.Environ(ctx, os.Getpid()); err != nil {
				t.Fatal(err)
			}
			if m, err := p.Members(); err != nil || len(m) != 2 {
				t.Fatalf("members are %+v, %v, want two sleeps", m, err)
			}
		}
		if r := p.End(Limits{Grace: 10 * time.Second}, nil); len(r.Ended) != 2 || len(r.Stuck) != 0 {
			t.Errorf("%+v; want two ended", r)
		}
		nothingLeft(t, p)
	})
}
