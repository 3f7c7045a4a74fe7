package ci

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
)

// TestNextAt: the next time a clock shows it, also across midnight, the end of a
// month, and both changes of the clocks.
func TestNextAt(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("needs the time zones")
	}
	for _, c := range []struct{ now, until, want string }{
		{"2026-11-30T02:00:00+01:00", "07:00", "2026-11-30T07:00:00+01:00"},
		{"2026-11-30T07:00:00+01:00", "07:00", "2026-12-01T07:00:00+01:00"},
		{"2026-11-30T06:59:59+01:00", "07:00", "2026-11-30T07:00:00+01:00"},
		{"2026-12-31T23:30:00+01:00", "00:15", "2027-01-01T00:15:00+01:00"},
		{"2026-03-28T22:00:00+01:00", "07:00", "2026-03-29T07:00:00+02:00"}, // eight hours of night
		{"2026-10-24T22:00:00+02:00", "07:00", "2026-10-25T07:00:00+01:00"}, // ten
		{"2026-03-29T01:00:00+01:00", "02:30", "2026-03-29T03:30:00+02:00"}, // which that night has not
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got, err := nextAt(now.In(berlin), c.until)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s from %s: %s, want %s (%v)", c.until, c.now, got.Format(time.RFC3339), c.want, err)
		}
	}
}

// setClock is one that a test sets.
type setClock struct {
	mu   sync.Mutex
	wall time.Time
	ran  time.Duration
}

func (c *setClock) clock() Clock {
	return Clock{
		Wall: func() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.wall },
		Ran:  func() time.Duration { c.mu.Lock(); defer c.mu.Unlock(); return c.ran },
	}
}

// set lets time pass, and sets the clock on the wall by some more or less.
func (c *setClock) set(passed, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.ran = c.wall.Add(passed+by), c.ran+passed
}

// TestDue: whatever is done to the clock on the wall, a night ends.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		name       string
		passed, by time.Duration
		over       bool
	}{
		{"before it", 4 * time.Hour, 0, false},
		{"at it", 5 * time.Hour, 0, true},
		{"set back for ever", 5 * time.Hour, -24 * time.Hour, true},
		{"set back", 4 * time.Hour, -24 * time.Hour, false},
		{"set forward", time.Hour, 5 * time.Hour, true},
		{"the machine slept", 0, 6 * time.Hour, true},
	} {
		k := &setClock{wall: time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)}
		d, err := dueAt(k.clock(), "07:00")
		if err != nil {
			t.Fatal(err)
		}
		k.set(c.passed, c.by)
		if d.over() != c.over {
			t.Errorf("%s: over %v, want %v", c.name, d.over(), c.over)
		}
	}
	if d, err := dueAt(Clock{}, ""); err != nil || d.over() || !d.fits(1000*time.Hour) {
		t.Errorf("without an end: %+v, %v", d, err)
	}
}

// TestUntil: what runs when the night ends is ended politely and is not run; what
// would usually not be done by then is not begun; the next night runs both.
func TestUntil(t *testing.T) {
	s := newStage(t, `
[ci]
until = "07:00"

[[gate]]
name = "quick"
run = "true"
reader = "none"

[[gate]]
name = "long"
run = "trap 'echo asked >> $MEET/asked; exit 1' TERM; touch $MEET/here; until test -e $MEET/go; do sleep 0.01; done"
reader = "none"
after = ["quick"]

[[gate]]
name = "last"
run = "true"
reader = "none"
after = ["quick"]
`)
	meet := t.TempDir()
	t.Setenv("MEET", meet)
	s.goOn()
	s.night(func(o *Options) { o.Until = NoEnd })

	s.commit("main", "more", "")
	_ = os.Remove(filepath.Join(meet, "go"))
	_ = os.Remove(filepath.Join(meet, "here"))
	k := &setClock{wall: time.Date(2026, 11, 30, 6, 59, 0, 0, time.Local)}
	go func() {
		waitFor(t, filepath.Join(meet, "here"))
		k.set(2*time.Minute, 0)
	}()
	r := s.night(func(o *Options) { o.Clock = k.clock() })
	if c := mustCell(t, r, "main", "long"); c.State != NotRun || c.Why != "the night ended at 07:00" || c.Exit != gates.Refused.ExitCode() || c.Stale == "" {
		t.Errorf("what ran at the end: %+v", c)
	}
	if _, err := os.ReadFile(filepath.Join(meet, "asked")); err != nil {
		t.Errorf("it was not asked to end: %v", err)
	}
	if r.Until != "07:00" || r.Stopped != "" || r.Exit != gates.Refused.ExitCode() {
		t.Errorf("the report says until %q, stopped %q, exit %d", r.Until, r.Stopped, r.Exit)
	}
	lines, _, err := readJournal(r.Dir)
	if err != nil || lines[len(lines)-1].Type != ended {
		t.Errorf("the journal ends with %+v, %v", lines[len(lines)-1], err)
	}
	s.goOn()
	r = s.night(func(o *Options) { o.Until = NoEnd })
	want := []string{"main last: stands green", "main long: ran green", "main quick: stands green"}
	if got := cells(r); got[1] != want[1] || got[2] != want[2] { // last may have been behind long
		t.Errorf("the night after it: %q, want %q", got, want)
	}
}

// TestUntilStands: what stands is told even by a night that is over as it begins.
func TestUntilStands(t *testing.T) {
	s := newStage(t, oneGate)
	s.lane("kda")
	s.night()
	s.commit("kda", "more", "")
	began := time.Now().Round(0)
	var looks atomic.Int32
	clock := Clock{Wall: func() time.Time { // past the end by the third look
		if looks.Add(1) > 2 {
			return began.Add(3 * time.Minute)
		}
		return began
	}}
	until := began.Add(2 * time.Minute).Format("15:04")
	r := s.night(func(o *Options) { o.Until, o.Clock = until, clock })
	if d := cmp.Diff([]string{"kda unit: not run", "main unit: stands green"}, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestUsualTime: a gate that usually takes longer than what is left is not begun.
func TestUsualTime(t *testing.T) {
	s := newStage(t, "[[gate]]\nname = \"unit\"\nrun = \"sleep 0.2; touch $MEET/ran\"\nreader = \"none\"\n")
	t.Setenv("MEET", t.TempDir())
	s.night()
	s.commit("main", "more", "")
	_ = os.Remove(filepath.Join(os.Getenv("MEET"), "ran"))
	k := &setClock{wall: time.Date(2026, 11, 30, 7, 0, 0, 0, time.Local).Add(-50 * time.Millisecond)}
	r := s.night(func(o *Options) { o.Until, o.Clock = "07:00", k.clock() })
	c := mustCell(t, r, "main", "unit")
	if c.State != NotRun || !strings.HasPrefix(c.Why, "the night ends at 07:00, and it usually takes ") {
		t.Errorf("got %+v", c)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("MEET"), "ran")); err == nil {
		t.Error("it ran")
	}
}

// TestWithinEnds: a context of a night that never ends leaves no goroutine in wait.
func TestWithinEnds(t *testing.T) {
	k := &setClock{wall: time.Now()}
	d, err := dueAt(k.clock(), k.wall.Add(time.Hour).Format("15:04"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := d.within(context.Background())
	cancel()
	<-ctx.Done()
}
