package links

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// Links of a build that wait behind one of its own for long are spoken of, with
// that one's pid and what it was called; it is not time in which others are
// waited for.
func TestBehindOurs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "locks")
	first := ours(t, dir)
	done := make(chan *buildlock.Ticket, 1)
	waits := make(chan bool, 1)
	go func() {
		second, err := buildlock.Acquire(t.Context(), buildlock.Options{
			Dir: dir, Wait: time.Millisecond, Who: buildlock.Who{Build: "ours"}, Waiting: func(buildlock.Line) { waits <- true },
		})
		if err != nil {
			t.Error(err)
		}
		done <- second
	}()
	<-waits
	w := &Watch{Build: "ours", LockDir: dir, Long: time.Hour}
	if said := w.looks(2, nil); len(said) != 0 {
		t.Errorf("said at once: %q", said)
	}
	w = &Watch{Build: "ours", LockDir: dir, Long: time.Nanosecond}
	said := w.looks(4, nil)
	want := "links of this build wait for one of its own, at work for "
	if len(said) != 1 || !strings.HasPrefix(said[0], want) || !strings.Contains(said[0], fmt.Sprintf(": %s (pid %d); if it hangs, end it (kill %d)", filepath.Base(os.Args[0]), os.Getpid(), os.Getpid())) {
		t.Errorf("said %q, want %q once", said, want)
	}
	if q := w.Queued(time.Now()); q != 0 {
		t.Errorf("%s were spent behind others", q)
	}
	w = &Watch{Build: "ours", LockDir: dir, Long: time.Nanosecond, Every: time.Nanosecond}
	if said := w.looks(4, nil); len(said) < 2 {
		t.Errorf("not said again: %q", said)
	}
	ld := linker(t)
	w = &Watch{Build: "ours", LockDir: dir, Long: time.Nanosecond, Every: time.Nanosecond}
	said = w.looks(3, func(int) []proc.Stat { return []proc.Stat{stat(t, os.Getpid()), ld} })
	if want := fmt.Sprintf(", in it %s (pid %d, state S); if it hangs, end it (kill %d %d)", ld.Comm, ld.PID, os.Getpid(), ld.PID); len(said) == 0 || !strings.Contains(said[len(said)-1], want) {
		t.Errorf("said %q, want %q", said, want)
	}
	w = &Watch{Build: "another", LockDir: dir, Long: time.Nanosecond}
	if said := w.looks(2, nil); len(said) != 0 {
		t.Errorf("another build says %q", said)
	}
	_ = first.Release()
	second := <-done
	w = &Watch{Build: "ours", LockDir: dir, Long: time.Nanosecond}
	if said := w.looks(2, nil); len(said) != 0 {
		t.Errorf("nobody waits: %q", said)
	}
	_ = second.Release()
}

// The file of a ticket is removed while its link is at work: the next one does
// not wait, and that is said, whether the linker is seen or the holder alone.
func TestTicketFileRemoved(t *testing.T) {
	for name, seen := range map[string]bool{"the linker is seen": true, "its holder alone": false} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "locks")
			ticket := ours(t, dir)
			if err := ticket.Keep(); err != nil {
				t.Fatal(err)
			}
			ld := linker(t)
			path := file(t, dir)
			w := &Watch{Build: "ours", LockDir: dir}
			w.looks(3, func(look int) []proc.Stat {
				if s := w.Sum(nil); look <= 2 && (s.Removed || len(s.Past) > 0) {
					t.Errorf("before it was removed: %s", s)
				}
				if look == 2 {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				}
				if seen {
					return []proc.Stat{ld}
				}
				return nil
			})
			if s := w.Sum(nil); !s.Removed || len(s.Past) != 0 {
				t.Errorf("the end says %s", s)
			}
		})
	}
}

// A ticket is given up in the middle of a look: nothing was removed.
func TestTicketGivenUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "locks")
	ticket := ours(t, dir)
	w := &Watch{Build: "ours", LockDir: dir}
	w.looks(3, func(look int) []proc.Stat {
		if look == 2 {
			_ = ticket.Release()
		}
		return nil
	})
	if s := w.Sum(nil); s.Removed {
		t.Errorf("the end says %s", s)
	}
}
