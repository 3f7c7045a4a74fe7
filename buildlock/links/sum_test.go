package links

import (
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// The line about a build's links claims nothing of what was not seen, and says
// what was not run.
func TestSumText(t *testing.T) {
	ticketed := buildlock.LinkEvent{Outcome: buildlock.Ticketed, Waited: time.Second}
	late := buildlock.LinkEvent{Outcome: buildlock.TimedOut, Waited: 3 * time.Second}
	failed := buildlock.LinkEvent{Outcome: buildlock.Failed}
	part := buildlock.LinkEvent{Outcome: buildlock.Passed}
	ld := Past{Tool: "ld.bfd", Path: "/usr/bin/ld", Reason: Unseen}
	clang := Past{Tool: "ld.lld", Path: "/opt/ld.lld", Caller: "/opt/clang", Reason: Absolute}
	for _, c := range []struct {
		events []buildlock.LinkEvent
		past   map[Past]int
		hidden int
		want   string
	}{
		{nil, nil, 0, "no link came to the shims, and none was seen past them (short ones are not seen)"},
		{[]buildlock.LinkEvent{ticketed}, nil, 0, "1 link under a ticket, none seen without; waited 1s in all, 1s at most"},
		{[]buildlock.LinkEvent{ticketed, ticketed, part}, nil, 0, "2 links under tickets, none seen without; waited 2s in all, 1s at most"},
		{[]buildlock.LinkEvent{ticketed, ticketed, late}, nil, 0, "2 links under tickets, 1 not run, none seen without; waited 5s in all, 3s at most"},
		{[]buildlock.LinkEvent{failed}, nil, 0, "0 links under tickets, 1 not run, none seen without; waited 0s in all, 0s at most"},
		{[]buildlock.LinkEvent{part}, nil, 0, "0 links under tickets, none seen without"},
		{nil, map[Past]int{ld: 3}, 0, "no link came to the shims, at least 3 without a ticket: 3 by /usr/bin/ld"},
		{[]buildlock.LinkEvent{ticketed}, map[Past]int{ld: 1, clang: 2}, 1,
			"1 link under a ticket, at least 3 without a ticket: 2 by /opt/ld.lld, called by /opt/clang (" + clang.WouldCatch(true) + "), 1 by /usr/bin/ld, 1 of other users, ticket unknown; waited 1s in all, 1s at most"},
		{nil, nil, 2, "no link came to the shims, none seen without, 2 of other users, ticket unknown"},
	} {
		w := &Watch{past: c.past, hidden: c.hidden}
		before := maps.Clone(c.past)
		s := w.Sum(c.events)
		if diff := cmp.Diff(c.want, s.String()); diff != "" {
			t.Errorf("(-want +got): %s", diff)
		}
		for i := range s.Past {
			s.Past[i].Count = 99 // is the caller's own
		}
		if !maps.Equal(before, w.past) {
			t.Error("the sum is the watch's own map")
		}
	}
}

// Each way past the shims has what would catch it, but for the unknown one.
func TestWouldCatch(t *testing.T) {
	for _, c := range []struct {
		past Past
		want string
	}{
		{Past{Reason: Emptied}, "env -i"},
		{Past{Reason: Absolute}, "name the linker without its directory"},
		{Past{Reason: Absolute, Tool: "ld.bfd", Path: "/usr/bin/ld"}, "(LD=ld)"},
		{Past{Reason: Absolute, Tool: "lld", Path: "/usr/bin/ld.lld"}, "(LD=ld.lld; for cc and rustc, -fuse-ld=lld)"},
		{Past{Reason: Absolute, Tool: "mold"}, "(LD=mold; for cc and rustc, -fuse-ld=mold)"},
		{Past{Reason: Absolute, Tool: "ld.bfd", Path: "/cross/arm-none-eabi-ld"}, "(LD=arm-none-eabi-ld)"},
		{Past{Reason: Absolute, Caller: "/usr/bin/gcc"}, "name the compiler without its directory"},
		{Past{Reason: Shadowed, Tool: "ld"}, "another ld stands before the shims"},
		{Past{Reason: Shadowed, Tool: "ld.lld", Caller: "clang"}, "another clang stands before the shims"},
		{Past{Reason: GoTool}, "gpuci build -- CMD"},
		{Past{Reason: Unreached}, "gpuci build -- CMD"},
	} {
		if got := c.past.WouldCatch(false); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c.past, got)
		}
	}
	if got := (Past{Reason: Unreached}).WouldCatch(true); !strings.Contains(got, "the first entry of each") {
		t.Errorf("in a build: %q", got)
	}
	if got := (Past{Reason: GoTool}).WouldCatch(true); !strings.Contains(got, "keep the -toolexec") {
		t.Errorf("go in a build: %q", got)
	}
	if got := (Past{Reason: Absolute, Tool: "rust-lld"}).WouldCatch(true); strings.Contains(got, "LD=") {
		t.Errorf("a linker that there is no shim for: %q", got)
	}
	if got := (Past{Reason: Unseen}).WouldCatch(true); got != "" {
		t.Errorf("unknown: %q", got)
	}
}

// The word that led past the shims says why they were passed by.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		env    []string
		called string
		want   Bypass
	}{
		{nil, "ld", Emptied}, {[]string{"PATH=/usr/bin"}, "/usr/bin/ld", Unreached}, {[]string{"PATH="}, "", Unreached},
	} {
		if got := reason(c.env, c.called); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.env, c.called, got, c.want)
		}
	}
}

// A process that nobody named holds nothing, nor does one with the pid of a
// holder that is gone.
func TestBelow(t *testing.T) {
	self := stat(t, os.Getpid())
	for _, c := range []struct {
		among map[int]uint64
		want  bool
	}{{nil, false}, {map[int]uint64{self.PID: self.Start}, true}, {map[int]uint64{self.PID: self.Start + 1}, false}, {map[int]uint64{1: 1 << 60}, false}} {
		if got := below(self, c.among); got != c.want {
			t.Errorf("%v: %v", c.among, got)
		}
	}
	parent := stat(t, self.PPID)
	if !below(self, map[int]uint64{parent.PID: parent.Start}) {
		t.Error("our parent is not above us")
	}
}

func stat(t *testing.T, pid int) proc.Stat {
	t.Helper()
	s, err := proc.Real.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Who told the build above does not have to tell of the same links again.
func TestPassOn(t *testing.T) {
	events := []buildlock.LinkEvent{{Outcome: buildlock.Ticketed, Tool: "cc"}, {Outcome: buildlock.Ticketed, Tool: "ld"}}
	outer := t.TempDir() + "/log"
	if PassOn(events, "") || PassOn(events, outer) {
		t.Error("told to nobody")
	}
	if err := os.WriteFile(outer, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if PassOn(nil, outer) {
		t.Error("nothing was told")
	}
	if told := PassOn(events, outer); !told {
		t.Error("not told")
	}
	if got, err := buildlock.ReadLinkLog(outer); err != nil || len(got) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
