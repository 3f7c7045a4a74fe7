package buildlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

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
