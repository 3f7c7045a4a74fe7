package links

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
)

// journal makes an empty one.
func journal(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "links.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A link that was seen under a ticket counts, also when its shim could not write
// that down; and that something is wanting is said.
func TestUnwrittenLink(t *testing.T) {
	for name, c := range map[string]struct {
		written, remove bool
		say             string
	}{
		"written down":        {true, false, ""},
		"not written down":    {false, false, "1 under tickets were seen that are not in "},
		"the journal is gone": {true, true, "is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "locks")
			ticket := ours(t, dir)
			w := &Watch{Build: "ours", LockDir: dir, Log: journal(t)}
			if c.written {
				if err := (buildlock.LinkEvent{PID: os.Getpid(), Ticket: ticket.ID, Outcome: buildlock.Ticketed}).Append(w.Log); err != nil {
					t.Fatal(err)
				}
			}
			w.looks(2, nil)
			_ = ticket.Release()
			if c.remove {
				if err := os.Remove(w.Log); err != nil {
					t.Fatal(err)
				}
			}
			events, err := w.Events()
			if (err != nil) != (c.say != "") || err != nil && !strings.Contains(err.Error(), c.say) {
				t.Errorf("%v, want %q", err, c.say)
			}
			if s := w.Sum(events); s.Ticketed != 1 || s.Waited < 0 {
				t.Errorf("%s", s)
			}
		})
	}
}

// A build in a build is killed before it passes its links on: the outer one
// counts them all the same.
func TestInnerKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "locks")
	outer := &Watch{Build: "outer", LockDir: dir, Log: journal(t)}
	inner := &Watch{Build: "inner", LockDir: dir, Log: journal(t), Outer: outer.Log}
	for range 2 { // one command after the other
		inner.looks(1, nil)
	}
	for n := range 2 {
		e := buildlock.LinkEvent{Time: time.Unix(int64(n), 0), PID: 7, Ticket: "link-7", Outcome: buildlock.Ticketed}
		if err := e.Append(inner.Log); err != nil {
			t.Fatal(err)
		}
	}
	events, err := outer.Events()
	if s := outer.Sum(events); err != nil || s.Ticketed != 2 {
		t.Errorf("%s, %v", s, err)
	}
	if text, err := os.ReadFile(outer.Log); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("the outer build was told %q, %v; want it once", text, err)
	}
}
