package buildlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestAcquireRelease(t *testing.T) {
	dir := lockDir(t, 1)
	a := take(t, Options{Dir: dir})
	busy := mustWait(t, Options{Dir: dir})
	if !strings.Contains(busy.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("%q does not name the holder", busy)
	}
	if err := a.Release(); err != nil {
		t.Fatal(err)
	}
	if err := a.Release(); err != nil {
		t.Errorf("second Release: %v", err)
	}
	b := take(t, Options{Dir: dir})
	if b.Number <= a.Number {
		t.Errorf("number %d came after %d", b.Number, a.Number)
	}
}

// Slots: as many as the machine's number, and a caller may only lower it.
func TestSlots(t *testing.T) {
	dir := lockDir(t, 3)
	var held []*Ticket
	for range 3 {
		held = append(held, take(t, Options{Dir: dir}))
	}
	mustWait(t, Options{Dir: dir})
	mustWait(t, Options{Dir: dir, Slots: 8})
	_ = held[1].Release() // any that frees can be taken at once
	_ = take(t, Options{Dir: dir}).Release()
	mustWait(t, Options{Dir: dir, Slots: 2})
	_ = held[0].Release()
	take(t, Options{Dir: dir, Slots: 2})
	if n, err := Links(dir); n != 3 || err != nil {
		t.Errorf("Links = %d, %v; want 3", n, err)
	}
}

// Locks of different names do not wait for each other.
func TestLocksAreApart(t *testing.T) {
	dir := lockDir(t, 1)
	cache, err := Named("cache")
	if err != nil {
		t.Fatal(err)
	}
	take(t, Options{Dir: dir})
	take(t, Options{Dir: dir, Lock: Build})
	take(t, Options{Dir: dir, Lock: cache})
	mustWait(t, Options{Dir: dir, Lock: Build, Slots: 9})
	for _, bad := range []string{"", ".", "..", "a/b", "a b", "ä", strings.Repeat("x", 65), ".new-1"} {
		if l, err := Named(bad); err == nil {
			t.Errorf("Named(%q) = %q", bad, l)
		}
		if _, err := Acquire(t.Context(), Options{Dir: dir, Lock: Lock("name." + bad)}); err == nil {
			t.Errorf("Acquire took a lock named %q", bad)
		}
	}
}

// Field case 6: five waiters, one killed in line: the others come in their
// order, and nobody starves.
func TestOrderOfArrivalCase6(t *testing.T) {
	dir := lockDir(t, 1)
	first := take(t, Options{Dir: dir})
	var line []*child
	for range 5 {
		c := start(t, order{Dir: dir, Wait: -1})
		c.hears("waiting") // it has its number now
		line = append(line, c)
	}
	line[2].kill()
	_ = first.Release()
	for _, i := range []int{0, 1, 3, 4} {
		line[i].hears("got")
		list, err := Tickets(t.Context(), dir, Link)
		if err != nil {
			t.Fatal(err)
		}
		if list[0].PID != line[i].cmd.Process.Pid || list[0].State != StateHolds {
			t.Fatalf("first in line is %+v, want the child %d", list[0], line[i].cmd.Process.Pid)
		}
		for _, e := range list[1:] {
			if e.State != StateWaits {
				t.Errorf("beside it: %+v", e)
			}
		}
		line[i].say("release")
		line[i].hears("released")
	}
}

// A slot that frees is taken at once, also when it is not the nearest ticket
// ahead that frees it.
func TestAnySlotThatFrees(t *testing.T) {
	for _, which := range []int{0, 1, 2} {
		dir := lockDir(t, 3)
		var held []*Ticket
		for range 3 {
			held = append(held, take(t, Options{Dir: dir}))
		}
		c := start(t, order{Dir: dir, Wait: -1})
		c.hears("waiting")
		_ = held[which].Release()
		c.hears("got")
	}
}

func TestWaitRunsOut(t *testing.T) {
	dir := lockDir(t, 1)
	take(t, Options{Dir: dir, Who: Who{Lane: "kda-adjoint", Command: "cargo build --tests"}})
	var lines []string
	_, err := Acquire(t.Context(), Options{
		Dir: dir, Wait: 300 * time.Millisecond, Every: 100 * time.Millisecond,
		Waiting: func(l Line) { lines = append(lines, l.String()) },
	})
	var busy *BusyError
	if !errors.As(err, &busy) {
		t.Fatalf("Acquire: %v, want a BusyError", err)
	}
	for _, want := range []string{"gave up waiting for the link lock, 1st in line", "lane kda-adjoint", "cargo build --tests", "since "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if len(lines) < 2 || !regexp.MustCompile(`^waiting for the link lock, 1st in line, \d+m?s of 300ms; held by lane kda-adjoint \(pid `).MatchString(lines[0]) {
		t.Errorf("said while waiting: %q", lines)
	}
	if list, err := Tickets(t.Context(), dir, Link); err != nil || len(list) != 1 {
		t.Errorf("the place in line was not given up: %+v, %v", list, err)
	}
}

// Behind the links of its own build a link waits as long as it takes; only the
// others' time is charged.
func TestWaitBehindItself(t *testing.T) {
	dir := lockDir(t, 1)
	own := take(t, Options{Dir: dir, Who: Who{Build: "b"}})
	c := start(t, order{Dir: dir, Wait: 200 * time.Millisecond, Who: Who{Build: "b"}})
	c.hears("waiting")
	other := start(t, order{Dir: dir, Wait: 200 * time.Millisecond, Who: Who{Build: "c"}})
	other.hears("waiting")
	other.hears("error gave up") // which takes 200 ms, so that c has waited as long
	_ = own.Release()
	c.hears("got")
}

// Who waits notices that the machine may link more at a time.
func TestWaitSeesMoreLinks(t *testing.T) {
	dir := lockDir(t, 1)
	take(t, Options{Dir: dir})
	c := start(t, order{Dir: dir, Wait: -1})
	c.hears("waiting")
	if err := SetLinks(dir, 2); err != nil {
		t.Fatal(err)
	}
	c.hears("got")
}

// Numbers decide, not clocks: a ticket that says it was made tomorrow, as after
// the clock was set back, is where its number puts it.
func TestClockSetBack(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	text := regexp.MustCompile(`"since":"[^"]*"`).ReplaceAllString(mustLine(t, k), `"since":"2099-01-01T00:00:00Z"`)
	if _, err := k.file.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	c := start(t, order{Dir: dir, Wait: -1})
	c.hears("waiting waiting for the link lock, 1st in line")
	mustWait(t, Options{Dir: dir})
	_ = k.Release()
	c.hears("got")
}

func TestWaitCancelled(t *testing.T) {
	dir := lockDir(t, 1)
	take(t, Options{Dir: dir})
	why := errors.New("had enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Acquire(ctx, Options{Dir: dir, Wait: -1, Waiting: func(Line) { cancel(why) }})
	if !errors.Is(err, why) {
		t.Fatalf("Acquire: %v, want the cause", err)
	}
	if list, err := Tickets(t.Context(), dir, Link); err != nil || len(list) != 1 {
		t.Errorf("the place in line was not given up: %+v, %v", list, err)
	}
}

// Sixty-four waiters, in order.
func TestSixtyFourWaiters(t *testing.T) {
	dir := lockDir(t, 1)
	first := take(t, Options{Dir: dir})
	const waiters = 64
	got := make(chan int, waiters)
	var all sync.WaitGroup
	for i := range waiters {
		in := make(chan bool, 8)
		all.Go(func() {
			k, err := Acquire(t.Context(), Options{Dir: dir, Wait: -1, Waiting: func(Line) { in <- true }})
			if err != nil {
				t.Error(err)
				got <- -1
				return
			}
			got <- i
			_ = k.Release()
		})
		<-in
	}
	_ = first.Release()
	var order, want []int
	for i := range waiters {
		order, want = append(order, <-got), append(want, i)
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order of grants (-want +got):\n%s", diff)
	}
	all.Wait()
	names, err := os.ReadDir(filepath.Join(dir, string(Link)))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if _, ticket := parseName(n.Name()); ticket {
			t.Errorf("ticket %s was left", n.Name())
		}
	}
}

// A process stopped at the front is said to be stopped.
func TestStoppedHolder(t *testing.T) {
	dir := lockDir(t, 1)
	c := start(t, order{Dir: dir})
	c.hears("got")
	if err := unix.Kill(c.cmd.Process.Pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	soon(t, "the holder is seen to be stopped", func() bool {
		return strings.Contains(mustWait(t, Options{Dir: dir}).Error(), "stopped")
	})
}

// A file that is no ticket is nobody's place in line.
func TestForeignFiles(t *testing.T) {
	dir := lockDir(t, 1)
	_ = take(t, Options{Dir: dir}).Release()
	q := filepath.Join(dir, string(Link))
	for _, name := range []string{"README", fileName(5)[1:], fileName(7) + "x", tmpPrefix + "99"} {
		if err := os.WriteFile(filepath.Join(q, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(q, fileName(3)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(q, fileName(4)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(q, fileName(6))); err != nil {
		t.Fatal(err)
	}
	k := take(t, Options{Dir: dir})
	if k.Number <= 6 {
		t.Errorf("number %d was given though a higher one is there", k.Number)
	}
}

// A counter with nonsense in it never makes a number recur among those there.
func TestCounterNonsense(t *testing.T) {
	dir := lockDir(t, 1)
	k := take(t, Options{Dir: dir})
	path := filepath.Join(dir, string(Link), counterFile)
	for _, text := range []string{"", "x", "-5", "1e3"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		busy := mustWait(t, Options{Dir: dir})
		if busy.Line.Ahead != 1 {
			t.Errorf("counter %q: %d ahead, want 1", text, busy.Line.Ahead)
		}
	}
	_ = k.Release()
	if n := take(t, Options{Dir: dir}).Number; n <= k.Number {
		t.Errorf("number %d after %d", n, k.Number)
	}
}
