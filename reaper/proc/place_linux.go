package proc

import (
	"errors"
	"fmt"
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
}

// Known says whether Path may be used at all.
func (p Place) Known() bool { return p.Answer == Known }

// deletedMark is what the kernel appends to the path of a file without a name.
const deletedMark = " (deleted)"

// Exe is the program file a process runs. That of another user's process is
// Unknown, which is no error; the errors are ErrGone, a *SilentError where
// whether it is deleted is for a file system to say that does not answer, and
// what a broken /proc gives. The name is the one the file had when it was
// started.
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
	bare, marked := strings.CutSuffix(text, deletedMark)
	if !marked {
		return Place{Answer: Known, Path: text}, nil
	}
	switch lost, err := d.doubt().unlinked(d, link, text); {
	case errors.Is(err, errAbsent):
		return d.absent(link, err)
	case err != nil:
		return Place{}, err
	case lost:
		return Place{Answer: Known, Path: bare, Deleted: true}, nil
	}
	return Place{Answer: Known, Path: text}, nil
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
