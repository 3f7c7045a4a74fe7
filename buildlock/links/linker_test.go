package links

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A ticket is known by its file: the directory can be reached by another path,
// and a file of the same name elsewhere is none.
func TestTicketByAnotherPath(t *testing.T) {
	dir, other, elsewhere := filepath.Join(t.TempDir(), "locks"), t.TempDir(), filepath.Join(t.TempDir(), "locks")
	ticket := ours(t, dir)
	if err := ticket.Keep(); err != nil {
		t.Fatal(err)
	}
	ours(t, elsewhere)
	err := unix.Mount(dir, other, "", unix.MS_BIND, "")
	needs(t, err == nil, "the right to mount")
	t.Cleanup(func() { _ = unix.Unmount(other, unix.MNT_DETACH) })
	ld := linker(t)
	for dir, want := range map[string]bool{dir: true, other: true, elsewhere: false} {
		has, lost, err := ticketOf(ld.PID, dir)
		if has != want || lost || err != nil {
			t.Errorf("%s: %v, %v, %v; want %v", dir, has, lost, err, want)
		}
	}
}
