package buildlock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// Field case 5: the holder is killed, and an orphan of it keeps the file. The
// lock is still held, which is the truth; the orphan is named; when it ends,
// the lock is free.
func TestKeeperCase5(t *testing.T) {
	dir := lockDir(t, 1)
	c := start(t, order{Dir: dir, Keep: "sleep 300 & echo orphan $!; exec 3>/dev/null; kill -KILL $$"})
	c.hears("got")
	c.say("exec")
	var orphan int
	if _, err := fmt.Sscan(c.hears("orphan"), &orphan); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(orphan, unix.SIGKILL) })
	_ = c.cmd.Wait()
	busy := mustWait(t, Options{Dir: dir})
	want := fmt.Sprintf("which is gone; still open in sleep (pid %d", orphan)
	if !strings.Contains(busy.Error(), want) {
		t.Errorf("%q lacks %q", busy, want)
	}
	list, err := Tickets(t.Context(), dir, Link)
	if err != nil || len(list) != 1 || list[0].State != StateKept || len(list[0].Keepers) != 1 || list[0].Keepers[0].Cwd == "" {
		t.Errorf("tickets: %+v, %v", list, err)
	}
	next := start(t, order{Dir: dir, Wait: -1})
	next.hears("waiting")
	// The one that waits has the file open too, and keeps nothing.
	if busy := mustWait(t, Options{Dir: dir}); !strings.Contains(busy.Error(), "still open in sleep (pid "+fmt.Sprint(orphan)+", state S)") || strings.Contains(busy.Error(), fmt.Sprint(next.cmd.Process.Pid)) {
		t.Errorf("with somebody in line: %q", busy)
	}
	if err := unix.Kill(orphan, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	next.hears("got")
}

// Release frees the lock although something that inherited it lives on.
func TestReleaseWithKeeper(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	if err := k.Keep(); err != nil {
		t.Fatal(err)
	}
	if fd := k.file.Fd(); fd < 10 {
		t.Errorf("the ticket is descriptor %d, in the way of scripts", fd)
	}
	cmd := exec.Command("sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	holders, _, err := proc.Real.Holders(k.file)
	if err != nil {
		t.Fatal(err)
	}
	inherited := slices.ContainsFunc(holders, func(h proc.Holder) bool { return h.Stat.PID == cmd.Process.Pid })
	if !inherited {
		t.Fatal("the child did not inherit the ticket: this proves nothing")
	}
	if err := k.Release(); err != nil {
		t.Fatal(err)
	}
	take(t, Options{Dir: dir})
}

// A script below a ticket opens files under numbers of its own choice, as in
// `exec 200>lock; flock 200`: the ticket is under none of them.
func TestScriptsOwnDescriptors(t *testing.T) {
	bash, err := exec.LookPath("bash")
	needs(t, err == nil, "bash")
	for _, limit := range []string{"1024", "256", "64"} {
		dir := lockDir(t, 1)
		c := start(t, order{Dir: dir, Keep: "exec " + bash + ` -c '
			for n in {3..20} 42 50 63 77 99 100 101 123 127 128 199 200 201 222 240 250 254 255 256 300 333 400 500 512 600 666 700 777 800 888 900 999 1000; do
				[ $n -lt $(ulimit -n) ] && eval "exec $n>/dev/null"
			done
			echo opened; read x'`}, "sh", "-c", "ulimit -Sn "+limit+`; exec "$@"`, "sh")
		c.hears("got")
		c.say("exec")
		c.hears("opened")
		mustWait(t, Options{Dir: dir})
	}
}

// A process with hardly any descriptors can still take a ticket and keep it.
func TestFewDescriptors(t *testing.T) {
	dir := lockDir(t, 1)
	c := start(t, order{Dir: dir, Keep: "echo kept; read x"}, "sh", "-c", `ulimit -n 14; exec "$@"`, "sh")
	c.hears("got")
	c.say("exec")
	c.hears("kept")
	mustWait(t, Options{Dir: dir})
}

// otherUser runs a copy of the test binary as another user with umask 077.
func otherUser(t *testing.T) []string {
	t.Helper()
	setpriv, err := exec.LookPath("setpriv")
	needs(t, err == nil && os.Getuid() == 0, "root and setpriv")
	return []string{setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups",
		"sh", "-c", `umask 077; shift; exec "$0" "$@"`, copySelf(t)}
}

func copySelf(t *testing.T) string {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	path := filepath.Join(publicDir(t), "self.test")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, self); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Field case 7: two users with umask 077 queue in the same line, whoever of
// them came first.
func TestAnotherUserCase7(t *testing.T) {
	as := otherUser(t)
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	for _, first := range []string{"we", "they"} {
		dir := publicDir(t) + "/locks"
		if first == "they" { // they make the directory
			dir = filepath.Join(sticky(t), "locks")
			c := start(t, order{Dir: dir}, as...)
			c.hears("got")
			busy := mustWait(t, Options{Dir: dir})
			if !strings.Contains(busy.Error(), UserName(65534)) {
				t.Errorf("%q does not say whose it is", busy)
			}
			c.say("exit")
			_ = c.cmd.Wait()
			_ = take(t, Options{Dir: dir}).Release()
			continue
		}
		k := take(t, Options{Dir: dir})
		c := start(t, order{Dir: dir, Wait: -1}, as...)
		if said := c.hears("waiting"); !strings.Contains(said, fmt.Sprintf("(pid %d root", os.Getpid())) {
			t.Errorf("they are told %q", said)
		}
		_ = k.file.Close() // as a holder that was killed: its ticket stays, and they cannot remove it
		c.hears("got")
		mustWait(t, Options{Dir: dir})
		c.say("release")
		c.hears("released")
		_ = take(t, Options{Dir: dir}).Release()
	}
}

// Whoever holds the gate and is stopped there holds everybody up; the wait for
// it can be given up.
func TestGateHeld(t *testing.T) {
	dir := lockDir(t, 1)
	_ = take(t, Options{Dir: dir}).Release()
	f, err := os.OpenFile(filepath.Join(dir, string(Link), gateFile), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Acquire(ctx, Options{Dir: dir, Wait: -1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Acquire: %v, want its context's error", err)
	}
	gate := flock.New(f.Name(), flock.SetFlag(os.O_RDWR))
	err = lockGate(t.Context(), gate, time.Minute, 50*time.Millisecond)
	if want := fmt.Sprintf("(pid %d, state ", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("lockGate: %v, want it to name %q", err, want)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	take(t, Options{Dir: dir})
}

// What a maker that was killed left under a passing name is swept, and what
// another is just making is not.
func TestPassingName(t *testing.T) {
	dir := lockDir(t, 1)
	_ = take(t, Options{Dir: dir}).Release()
	q, err := openQueue(dir, Link)
	if err != nil {
		t.Fatal(err)
	}
	defer q.close()
	making, err := q.fresh()
	if err != nil {
		t.Fatal(err)
	}
	left, err := q.fresh()
	if err != nil {
		t.Fatal(err)
	}
	_ = left.Close()
	take(t, Options{Dir: dir})
	if err := making.name("x"); err != nil {
		t.Errorf("the file that was being made: %v", err)
	}
	if err := left.name("y"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("the file that was left: %v, want ENOENT", err)
	}
	info, err := os.Stat(filepath.Join(q.path, "x"))
	if err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("x: %v, %v; want mode 0666", info, err)
	}
	_ = making.Close()
}
