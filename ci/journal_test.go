package ci

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gpuci/gates"
	"gpuci/gates/config"
)

// TestTornJournal: a line that was torn says nothing, and does not spoil the next.
func TestTornJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ci", "night")
	j, err := newJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Night: "n", Schema: planSchema}
	for _, l := range []line{{Type: planned, Plan: p}, {Type: done, Lane: "main", Cells: []Cell{{Gate: "unit", State: Ran}}}} {
		if err := j.add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, journalName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(whole), '\n') + 1
	for cut := first; cut < len(whole)-1; cut++ { // without its end alone a line is whole
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		j, lines, err := openJournal(dir)
		if err != nil || len(lines) != 1 || lines[0].Plan == nil {
			t.Fatalf("cut at %d: %d lines, %v", cut, len(lines), err)
		}
		if err := errors.Join(j.add(line{Type: ended}), j.close()); err != nil {
			t.Fatal(err)
		}
		lines, torn, err := readJournal(dir)
		if err != nil || torn || len(lines) != 2 || lines[1].Type != ended {
			t.Fatalf("cut at %d, then one line more: %d lines, %v", cut, len(lines), err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode: %v, %v", info.Mode(), err)
	}
}

// TestJournalFull: a journal that cannot be written says so once, and goes on when
// there is room again.
func TestJournalFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ci", "night")
	j, err := newJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	file := j.f
	j.f = full
	if err := j.add(line{Type: started}); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	if err := j.add(line{Type: started}); err != nil {
		t.Errorf("said again: %v", err)
	}
	j.f = file
	if err := j.add(line{Type: ended}); err != nil {
		t.Error(err)
	}
	lines, _, err := readJournal(dir)
	if err != nil || len(lines) != 1 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	_ = full.Close()
	if err := j.close(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("at its end: %v", err)
	}
}

// FuzzJournal: whatever is in a journal, its lines have a kind, and what is read is
// read the same when it is written again.
func FuzzJournal(f *testing.F) {
	f.Add([]byte("{\"type\":\"plan\",\"plan\":{\"night\":\"n\"}}\n{\"type\":\"done\",\"lane\":\"a\",\"cells\":[{\"gate\":\"unit\"}]}\n{\"type\":\"en"))
	f.Add([]byte("\n\n{}\nnull\n[]\n{\"type\":\"\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := parseJournal(data)
		for _, l := range lines {
			if l.Type == "" {
				t.Fatal("a line without a kind")
			}
		}
		if len(lines) > 0 && lines[0].Plan != nil {
			_ = takeUp(*lines[0].Plan, lines)
		}
	})
}

// TestLockShared: a night of the repository's owner keeps another user's from
// running, whose own state is elsewhere.
func TestLockShared(t *testing.T) {
	owner, other := t.TempDir(), t.TempDir()
	who := ourselves(time.Now())
	first, err := lockNight(owner, owner, who)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lockNight(other, owner, who)
	if busy := as[*BusyError](t, err); busy.Who.PID != os.Getpid() {
		t.Errorf("who has it: %+v", busy.Who)
	}
	first.release()
	second, err := lockNight(other, owner, who)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lockNight(owner, owner, who)
	if busy := as[*BusyError](t, err); busy.Who.PID != 0 || !strings.Contains(err.Error(), "another user") {
		t.Errorf("who has the owner's lock: %v", err)
	}
	second.release()
}

// TestOrder: first by after, then by cost, what is unknown last.
func TestOrder(t *testing.T) {
	cost := map[string]int{"a": 30, "b": 10, "c": 20, "d": 1}
	list := []config.Gate{{Name: "a"}, {Name: "new"}, {Name: "b"}, {Name: "c"}, {Name: "d", After: []string{"a", "not-here"}}}
	var got []string
	for _, g := range ordered(list, func(name string) (time.Duration, bool) {
		n, ok := cost[name]
		return time.Duration(n) * time.Second, ok
	}, nil) {
		got = append(got, g.Name)
	}
	if d := cmp.Diff([]string{"b", "c", "a", "d", "new"}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got = nil
	heeds := map[string][]string{"b": {"a"}, "c": {"new"}, "a": {"d"}, "new": {"c"}} // a would wait for d, which comes after it; c and new for each other
	for _, g := range ordered(list, func(string) (time.Duration, bool) { return 0, false }, func(gate string) []string { return heeds[gate] }) {
		got = append(got, g.Name)
	}
	if d := cmp.Diff([]string{"a", "b", "d", "new", "c"}, got); d != "" {
		t.Errorf("with notes: -want +got\n%s", d)
	}
	came := map[string]Cell{
		"green": {State: Ran, Outcome: gates.Green}, "known": {State: Stands, Outcome: gates.KnownRed}, "red": {State: Stands, Outcome: gates.Red},
		"refused": {State: Ran, Outcome: gates.Refused}, "late": notRun("late", "", 0),
	}
	for after, want := range map[string]string{
		"green": "", "known": "", "elsewhere": "", "red": "after red, which is red", "refused": "after refused, which was refused", "late": "after late, which was not run",
	} {
		if got := hindrance(config.Gate{After: []string{after}}, came); got != want {
			t.Errorf("after %s: %q, want %q", after, got, want)
		}
	}
}

// TestPrune keeps the last nights, and those that something names.
func TestPrune(t *testing.T) {
	b := books{t.TempDir()}
	for i := range keptNights + 5 {
		if err := os.Mkdir(b.night(fmt.Sprintf("20261130T%06dZ-00000000", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.setName(lastBegun, "20261130T000000Z-00000000"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.dir, "something else"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.prune()
	left, _ := filepath.Glob(filepath.Join(b.dir, "2026*"))
	if len(left) != keptNights+1 || filepath.Base(left[0]) != "20261130T000000Z-00000000" {
		t.Errorf("%d nights are left, the oldest %s", len(left), left[0])
	}
}
