package buildlock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// as runs do as another user: a thread has its own uid, and this one ends with it.
func as(t *testing.T, uid int, do func()) {
	t.Helper()
	needs(t, os.Getuid() == 0, "root")
	done := make(chan unix.Errno)
	go func() {
		runtime.LockOSThread() // for good
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid))
		if errno == 0 {
			do()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Fatalf("become uid %d: %v", uid, errno)
	}
}

// What somebody has laid beforehand where the record goes does not disarm the
// word of those who may: root replaces it, and others are told whose it is.
func TestVoidInTheWay(t *testing.T) {
	lay := map[string]func(path string) error{
		"a file":      func(path string) error { return os.WriteFile(path, nil, 0o666) },
		"a directory": func(path string) error { return os.MkdirAll(path+"/x", 0o777) },
		"a link":      func(path string) error { return os.Symlink("/dev/null", path) },
		"a FIFO":      func(path string) error { return unix.Mkfifo(path, 0o666) },
	}
	for name, lay := range lay {
		t.Run(name, func(t *testing.T) {
			dir := lockDir(t, 1)
			_ = take(t, Options{Dir: dir}).Release() // the queue's directory is root's
			var theirs *Ticket
			as(t, 65534, func() { theirs = take(t, Options{Dir: dir}) })
			path := filepath.Join(dir, string(Link), voidName(theirs.Number))
			if err := lay(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Lchown(path, 65533, -1); err != nil {
				t.Fatal(err)
			}
			mustWait(t, Options{Dir: dir})
			as(t, 65534, func() {
				err := Void(t.Context(), dir, theirs.ID, "its own word")
				want := "void " + theirs.ID + ": " + path + " of " + UserName(65533) + " is in the way, and only that user and root can remove it"
				if !errors.Is(err, ErrNotOwner) || err.Error() != want {
					t.Errorf("its user: %v", err)
				}
			})
			if err := Void(t.Context(), dir, theirs.ID, "root's word"); err != nil {
				t.Fatal(err)
			}
			list, err := Tickets(t.Context(), dir, Link)
			if err != nil || len(list) != 1 || list[0].State != StateVoid || list[0].Void.Why != "root's word" {
				t.Errorf("%+v, %v", list, err)
			}
			take(t, Options{Dir: dir})
		})
	}
}

// The first word stands, and no record outlives its ticket for long.
func TestVoidTwice(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	for _, why := range []string{"first", "second"} {
		if err := Void(t.Context(), dir, k.ID, why); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, string(Link), voidName(k.Number))
	if list, err := Tickets(t.Context(), dir, Link); err != nil || len(list) != 1 || list[0].Void.Why != "first" {
		t.Errorf("%+v, %v", list, err)
	}
	_ = take(t, Options{Dir: dir}).Release()
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the record of a live ticket was swept: %v", err)
	}
	stray := filepath.Join(dir, string(Link), voidName(k.Number+7))
	if err := os.WriteFile(stray, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_ = k.file.Close() // as a holder that was killed
	_ = take(t, Options{Dir: dir}).Release()
	for _, path := range []string{path, stray} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}
