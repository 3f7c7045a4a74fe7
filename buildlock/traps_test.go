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

// sticky is a directory as /run/lock is.
func sticky(t *testing.T) string {
	t.Helper()
	dir := publicDir(t)
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A directory that another user cannot write to: an error that says what to
// do, and no lock.
func TestDirectoryOfOneUser(t *testing.T) {
	as := otherUser(t)
	dir := publicDir(t) + "/locks"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := start(t, order{Dir: dir}, as...)
	if said := c.hears("error"); !strings.Contains(said, "chmod 1777 "+dir) {
		t.Errorf("they are told %q", said)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	take(t, Options{Dir: dir})
	c = start(t, order{Dir: dir}, as...)
	c.hears("error the link lock is taken")
}

func TestUnfit(t *testing.T) {
	top := t.TempDir()
	home := filepath.Join(top, "home") // somebody's, named by mistake
	if err := os.MkdirAll(home+"/link", 0o700); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, dir := range []string{home, home + "/link"} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 || info.Mode()&os.ModeSticky != 0 {
				t.Errorf("%s has mode %v now (%v)", dir, info.Mode(), err)
			}
		}
	}()
	file := filepath.Join(top, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "link")
	if err := os.Symlink(top, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		home:                         "chmod 1777 " + home,
		file:                         "symbolic link, or no directory",
		link:                         "symbolic link, or no directory",
		"locks":                      "not an absolute path",
		filepath.Join(top, "a", "b"): "the directory above it does not exist",
		"/proc/self/locks":           "/proc/self/locks",
	} {
		_, err := Acquire(t.Context(), Options{Dir: path})
		if !errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("Acquire in %s: %v; want ErrUnfit with %q", path, err, want)
		}
	}
}

// smallDisk mounts a file system of 16 pages.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := publicDir(t)
	err := unix.Mount("gpuci-test", dir, "tmpfs", 0, options)
	needs(t, err == nil, "the right to mount a tmpfs")
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A full disk: an error, no ticket, nothing unlocked; and it works again as
// soon as there is space.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, "size=64k,mode=1777")
	dir := disk + "/locks"
	_ = take(t, Options{Dir: dir}).Release()
	fill(t, disk+"/big")
	_, err := Acquire(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrUnfit) || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Acquire: %v, want ErrUnfit for want of space", err)
	}
	if list, err := Tickets(t.Context(), dir, Link); err != nil || len(list) != 0 {
		t.Errorf("tickets: %+v, %v", list, err)
	}
	if err := os.Remove(disk + "/big"); err != nil {
		t.Fatal(err)
	}
	take(t, Options{Dir: dir})
	mustWait(t, Options{Dir: dir})
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for buf := make([]byte, 4096); err == nil; {
		_, err = f.Write(buf)
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("fill %s: %v", path, err)
	}
}

func TestReadOnly(t *testing.T) {
	disk := smallDisk(t, "size=64k,mode=1777")
	dir := disk + "/locks"
	k := take(t, Options{Dir: dir})
	if err := k.Release(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err := Acquire(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrUnfit) || !errors.Is(err, unix.EROFS) {
		t.Errorf("Acquire: %v, want ErrUnfit for a read-only file system", err)
	}
}

// The lock directory is deleted under a holder and two waiters: nobody hangs,
// it is said, and among those that queue again the order holds.
func TestDirectoryDeleted(t *testing.T) {
	dir := lockDir(t, 1)
	holder := start(t, order{Dir: dir})
	holder.hears("got")
	a, b := start(t, order{Dir: dir, Wait: -1}), start(t, order{Dir: dir, Wait: -1})
	a.hears("waiting")
	b.hears("waiting")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	got := make(chan *child, 2)
	for _, c := range []*child{a, b} {
		if said := c.hears("waiting"); !strings.Contains(said, "was removed") {
			t.Errorf("a waiter is told %q", said)
		}
		go func() {
			for {
				line, err := c.out.ReadString('\n')
				if strings.HasPrefix(line, "got") || err != nil {
					got <- c
					return
				}
			}
		}()
	}
	first := <-got
	mustWait(t, Options{Dir: dir})
	first.say("exit")
	<-got
	holder.say("release") // its directory is gone; that is no error of its
	if said := holder.hears("released"); said != "<nil>" {
		t.Errorf("release of a ticket whose directory is gone: %s", said)
	}
}

// The ticket of a waiter is removed by name: it does not wait on in vain.
func TestTicketDeleted(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	c := start(t, order{Dir: dir, Wait: -1})
	c.hears("waiting")
	if err := os.Remove(filepath.Join(dir, string(Link), fileName(k.Number+1))); err != nil {
		t.Fatal(err)
	}
	c.hears("waiting the lock directory was removed")
	_ = k.Release()
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "got") {
			return
		}
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
	err = lockGate(t.Context(), gate, 50*time.Millisecond)
	if want := fmt.Sprintf("(pid %d, state ", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("lockGate: %v, want it to name %q", err, want)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	take(t, Options{Dir: dir})
}

// Another user lays a symbolic link where the directory is going to be made,
// and one under the name that it might be made by: root follows neither.
func TestNoLinkFollowed(t *testing.T) {
	parent := sticky(t)
	victim := t.TempDir()
	if err := os.Chmod(victim, 0o750); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(parent, "locks")
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(t.Context(), Options{Dir: path}); !errors.Is(err, ErrUnfit) {
		t.Errorf("Acquire through a link: %v, want ErrUnfit", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, guess := range []string{path + ".new-" + fmt.Sprint(os.Getpid()), path + tmpPrefix + fmt.Sprint(os.Getpid())} {
		_ = os.Symlink(victim, guess)
	}
	take(t, Options{Dir: path})
	if info, err := os.Stat(victim); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the victim's mode is %v (%v)", info.Mode(), err)
	}
}

// A file of numbers that somebody else wrote, or could write to, says nothing.
func TestLinksOfAnybody(t *testing.T) {
	dir := lockDir(t, 3)
	path := filepath.Join(dir, linksFile)
	for _, spoil := range []func() error{
		func() error { return os.Chmod(path, 0o666) },
		func() error { return os.Chown(path, 65534, -1) },
	} {
		if n, err := Links(dir); n != 3 || err != nil {
			t.Fatalf("Links: %d, %v", n, err)
		}
		needs(t, spoil() == nil, "root")
		if n, err := Links(dir); n != 1 || err != nil {
			t.Errorf("Links of a spoilt file: %d, %v; want 1", n, err)
		}
		if err := SetLinks(dir, 3); err != nil { // its owner puts it right
			t.Fatal(err)
		}
	}
	if err := SetLinks(dir, 1); err != nil {
		t.Fatal(err)
	}
	if n, err := Links(dir); n != 1 || err != nil {
		t.Errorf("Links: %d, %v; want 1", n, err)
	}
}

// Another user cannot raise the number, and is not stopped by that.
func TestLinksByAnotherUser(t *testing.T) {
	as := otherUser(t)
	dir := lockDir(t, 1)
	c := start(t, order{Dir: dir, Links: 5}, as...)
	c.hears("got")
	if n, err := Links(dir); n != 1 || err != nil {
		t.Errorf("Links: %d, %v; want 1", n, err)
	}
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
