package proc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Answer says what is known of something about a process.
type Answer uint8

const (
	Unknown Answer = iota // not asked, or not ours to look at
	None                  // there is none: kernel threads, zombies
	Known
)

func (a Answer) String() string {
	return [...]string{"unknown", "none", "known"}[min(a, Known)]
}

// Place is where a process's exe or cwd leads.
type Place struct {
	Answer  Answer
	Path    string // as the process's own mount namespace has it
	Deleted bool   // what stood at Path when it was opened has no name there any more
	Dev     uint64 // st_dev and st_ino of what the link leads to
	Ino     uint64
}

// Known says whether Path may be used at all.
func (p Place) Known() bool { return p.Answer == Known }

// deletedMark is what the kernel appends to the path of a file without a name.
const deletedMark = " (deleted)"

// Exe is the program file a process runs. That of another user's process is
// Unknown, which is no error; the errors are ErrGone and what a broken /proc
// gives. The name is the one the file had when it was started.
func (r Root) Exe(pid int) (Place, error) { return r.place(pid, "exe") }

// Cwd is the working directory of a process, under the same rules as Exe.
func (r Root) Cwd(pid int) (Place, error) { return r.place(pid, "cwd") }

func (r Root) place(pid int, link string) (Place, error) {
	d, err := r.process(pid)
	if err != nil {
		return Place{}, err
	}
	defer d.close()
	p, err := d.place(link)
	if err != nil && !errors.Is(err, ErrGone) {
		return Place{}, fmt.Errorf("read %s of pid %d: %w", link, pid, err)
	}
	return p, err
}

// place reads one magic link of the process whose directory d is.
func (d dir) place(link string) (Place, error) {
	text, err := d.link(link)
	switch {
	case denied(err), errors.Is(err, unix.ENOENT):
		return d.absent(link, err)
	case errors.Is(err, unix.ENAMETOOLONG):
		return Place{}, nil // deeper than the kernel's one page: it has no text
	case err != nil:
		return Place{}, gone(err)
	}
	st, err := d.target(link, 0)
	if err != nil {
		return d.absent(link, err)
	}
	p := Place{Answer: Known, Path: text, Dev: device(st), Ino: st.Ino}
	if bare, marked := strings.CutSuffix(text, deletedMark); marked && d.unlinked(text, st) {
		p.Path, p.Deleted = bare, true
	}
	return p, nil
}

// absent finds out what a missing or forbidden link means. The kernel also
// says EACCES of a process that ended since its directory was opened.
func (d dir) absent(link string, why error) (Place, error) {
	s, err := d.stat()
	switch {
	case err != nil:
		return Place{}, err
	case s.Kernel || s.Zombie():
		return Place{Answer: None}, nil
	case s.State == 'Z': // a first thread that ended has taken its links along
		t, err := d.thread()
		if err != nil {
			return Place{}, skipGone(err)
		}
		defer t.close()
		return t.place(link)
	case denied(why):
		return Place{}, nil
	}
	return Place{Answer: None}, nil // it is ending: its memory is gone already
}

// unlinked says whether the mark at the end of text is the kernel's and not
// part of a name. A link count of 0 proves it. Cargo keeps a second hard link
// of the programs it builds, and overlayfs counts 1 for some directories it
// has removed; there it is proved when nothing has the marked name in a
// directory of the same mount, looked at from the same mount namespace: what is
// mounted over a directory hides the names in it. On any doubt the text is a
// name.
func (d dir) unlinked(text string, st unix.Statx_t) bool {
	if st.Nlink == 0 {
		return true
	}
	own, err := Real.Namespaces(unix.Getpid())
	if err != nil {
		return false
	}
	if ns, err := d.namespaces(); err != nil || ns.Mount != own.Mount {
		return false
	}
	var named unix.Stat_t
	return errors.Is(unix.Lstat(text, &named), unix.ENOENT) && sameMount(filepath.Dir(text), st)
}

// sameMount says whether a directory, or the nearest one above it that is
// there, is on the mount of an open file.
func sameMount(path string, st unix.Statx_t) bool {
	var above unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE|unix.STATX_MNT_ID, &above)
	if errors.Is(err, unix.ENOENT) && path != "/" {
		return sameMount(filepath.Dir(path), st)
	}
	return err == nil && st.Mask&above.Mask&unix.STATX_MNT_ID != 0 && st.Mnt_id == above.Mnt_id
}
