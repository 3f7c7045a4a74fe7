package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Listener reads what a program writes, and knows when it was written. The write wakes the
// thread that waits here; on a busy machine that thread gets a processor only later, and
// /proc/thread-self/schedstat has how long it was kept waiting for one. A terminal hands on
// in a thread of the kernel, whose own delay is not known of.
type Listener struct {
	f        *os.File
	raw      syscall.RawConn
	delays   *os.File // nil: this kernel does not tell
	nice     int      // of the thread before
	hurries  bool     // it is another now
	pipe     bool     // a read leaves nothing in it that there is room for
	earliest time.Time
}

// hurry is the priority of the thread that reads, where it may have one.
const hurry = -10

// sinceEver is longer than a program has run before it is listened to.
const sinceEver = 24 * time.Hour

// recheck is how often a wait looks whether the file has been closed.
const recheck = 100 * time.Millisecond

// Listen begins in the goroutine that is to read, which keeps a thread for itself until it
// calls [Listener.Close].
func Listen(f *os.File) *Listener {
	runtime.LockOSThread()
	l := &Listener{f: f, earliest: time.Now().Add(-sinceEver)}
	if was, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()); err == nil && 20-was > hurry {
		l.nice, l.hurries = 20-was, unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), hurry) == nil // only root may
	}
	l.raw, _ = f.SyscallConn()
	if info, err := f.Stat(); err == nil {
		l.pipe = info.Mode()&os.ModeNamedPipe != 0
	}
	l.delays, _ = os.Open("/proc/thread-self/schedstat")
	if _, err := l.delay(); err != nil {
		l.closeDelays()
	}
	return l
}

// Close gives up what it holds; the file is the caller's.
func (l *Listener) Close() {
	l.closeDelays()
	if l.hurries {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), l.nice) // down one always may
	}
	runtime.UnlockOSThread() // not to end with it: what it has started may be tied to its life
}

func (l *Listener) closeDelays() {
	if l.delays != nil {
		_ = l.delays.Close()
	}
	l.delays = nil
}

// Read is as that of the file.
func (l *Listener) Read(buf []byte) (int, Came, error) {
	waited, err := l.wait()
	if err != nil {
		return 0, Came{}, err
	}
	n, err := l.f.Read(buf)
	came := Came{From: l.earliest, To: time.Now()}
	came.Read = came.To
	if waited.from.After(came.From) {
		came.From = waited.from
	}
	if to := came.From.Add(rough); waited.once && to.Before(came.To) {
		came.To = to
	}
	l.earliest = waited.woken // the read has emptied it since
	if n == len(buf) || !l.pipe {
		l.earliest = came.From
	}
	return n, came, err
}

// waited is a wait that is over.
type waited struct {
	woken time.Time
	from  time.Time // what woke it was written then, or later; zero: it was there before
	once  bool      // it was then
}

// wait waits until something is there. It is a call of its own: were it Go's poller that
// waits, another thread would be woken.
func (l *Listener) wait() (w waited, err error) {
	for {
		n, perr := 0, error(nil)
		var before, after stopped
		var over time.Time
		err := l.raw.Control(func(fd uintptr) {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			looked := time.Now()
			if n, perr = unix.Poll(fds, 0); n != 0 {
				w.woken = time.Now()
				return
			}
			w.from = looked // it was empty
			before = l.stops()
			over = time.Now().Add(recheck)
			n, perr = unix.Poll(fds, int(recheck/time.Millisecond))
			w.woken = time.Now()
			after = l.stops()
		})
		switch {
		case err != nil:
			return w, err
		case n > 0:
			if from, once := before.written(after, w.woken, l.delays != nil); from.After(w.from) {
				w.from, w.once = from, once && from.Before(over.Add(-rough)) // else the end of the wait may have woken it
			}
			return w, nil
		case perr != nil && !errors.Is(perr, unix.EINTR):
			return w, fmt.Errorf("wait for the program's output: %w", perr)
		}
	}
}

// stopped is how often this thread gave its processor up or lost it, and how long it then
// waited for one.
type stopped struct {
	looked    bool
	gave, was int64
	delay     time.Duration
}

// stops looks. What stops it in between counts as a loss, and nowhere as too much delay.
func (l *Listener) stops() (s stopped) {
	s.looked = true
	if l.delays == nil {
		return s
	}
	first, _ := l.delay()
	var use unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &use)
	s.gave, s.was = use.Nvcsw, use.Nivcsw
	s.delay, _ = l.delay()
	if s.delay != first {
		s.was = -1
	}
	return s
}

// written is when what woke it was written: then, where it waited once and was not stopped
// otherwise, and else then or later. Where no delays are told it is taken to have been woken
// at once.
func (s stopped) written(o stopped, woken time.Time, told bool) (from time.Time, once bool) {
	switch {
	case !s.looked:
		return time.Time{}, false
	case !told:
		return woken, true
	case o.gave != s.gave+1 || o.delay < s.delay:
		return time.Time{}, false
	}
	return woken.Add(s.delay - o.delay), s.was >= 0 && o.was == s.was
}

// delay is how long this thread has waited for a processor.
func (l *Listener) delay() (time.Duration, error) {
	if l.delays == nil {
		return 0, os.ErrNotExist
	}
	var b [96]byte
	n, err := l.delays.ReadAt(b[:], 0)
	fields := bytes.Fields(b[:n])
	if len(fields) < 2 {
		return 0, errors.Join(os.ErrInvalid, err)
	}
	ns, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return time.Duration(ns), err
}
