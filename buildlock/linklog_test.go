package buildlock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// journal makes an empty one.
func journal(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "links-*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := ShareLinkLog(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func ticketed(n int) LinkEvent {
	return LinkEvent{Time: time.Unix(int64(n), 0).UTC(), Tool: "cc", Role: "cc", PID: n, Ticket: fmt.Sprintf("link-%d", n), Outcome: Ticketed}
}

func mustAppend(t *testing.T, path string, e LinkEvent) {
	t.Helper()
	if err := e.Append(path); err != nil {
		t.Fatal(err)
	}
}

// mustRead reads what has to be the given events, with an error that says so or
// with none for "".
func mustRead(t *testing.T, path, failing string, want ...LinkEvent) {
	t.Helper()
	got, err := ReadLinkLog(path)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	if (err != nil) != (failing != "") || err != nil && !strings.Contains(err.Error(), failing) {
		t.Errorf("%v, want %q", err, failing)
	}
}

// What is written is read again, with its wait in seconds.
func TestLinkLogWait(t *testing.T) {
	path := journal(t, t.TempDir())
	mustRead(t, path, "")
	want := []LinkEvent{
		{Time: time.Unix(1, 0).UTC(), Tool: "cc", Role: "cc", PID: 7, Ticket: "link-1", Waited: 1500 * time.Millisecond, Outcome: Ticketed},
		{Time: time.Unix(2, 0).UTC(), Tool: "ld", Role: "ld", PID: 8, Waited: 3 * time.Minute, Outcome: TimedOut, Error: "late", Remedy: "wait"},
	}
	for _, e := range want {
		mustAppend(t, path, e)
	}
	mustRead(t, path, "", want...)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"waited-seconds":1.5}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// A journal that is gone is not one without links, and nobody makes it anew.
func TestLinkLogRemoved(t *testing.T) {
	path := journal(t, t.TempDir())
	mustAppend(t, path, ticketed(1))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := ticketed(2).Append(path); err == nil {
		t.Error("an event was written into a file that nobody made")
	}
	mustRead(t, path, "is gone")
	if _, err := ReadLinkLog(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want ErrNotExist", err)
	}
}

// What could not be written on a full disk is said to be wanting, and takes
// nothing else with it.
func TestLinkLogFullDisk(t *testing.T) {
	disk := smallDisk(t, "size=64k,mode=1777")
	path := journal(t, disk)
	fill(t, disk+"/big")
	for n := range 2 {
		if err := ticketed(n).Append(path); !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("Append: %v, want ENOSPC", err)
		}
	}
	mustRead(t, path, "at least 1 could not be written down")
	if err := os.Remove(disk + "/big"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, ticketed(7))
	mustRead(t, path, "at least 1 could not be written down", ticketed(7))
	fillTo(t, path, 4096-10) // a page has room for a part of the next line
	fill(t, disk+"/big")
	if err := ticketed(8).Append(path); err == nil {
		t.Fatal("a line was written where there is no space for it")
	}
	if err := os.Remove(disk + "/big"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, ticketed(9))
	events, err := ReadLinkLog(path)
	if err == nil || len(events) == 0 || events[len(events)-1] != ticketed(9) {
		t.Errorf("after a torn line: %+v, %v", events, err)
	}
}

// fillTo makes a file so long, with a line of blanks.
func fillTo(t *testing.T, path string, size int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat(" ", int(size-info.Size()-1)) + "\n"); err != nil {
		t.Fatal(err)
	}
}

// A build of root's counts the links that it makes as another user.
func TestLinkLogOfAnother(t *testing.T) {
	path := journal(t, publicDir(t))
	as(t, 65534, func() { mustAppend(t, path, ticketed(1)) })
	mustRead(t, path, "", ticketed(1))
}

// The links of a build in this one count, once, whether it passed them on or was
// killed before.
func TestLinkLogInner(t *testing.T) {
	outer, inner, innermost := journal(t, t.TempDir()), journal(t, t.TempDir()), journal(t, t.TempDir())
	begins := func(in, log string) LinkEvent {
		e := LinkEvent{Time: time.Unix(1, 0).UTC(), Outcome: Inner, Log: log}
		mustAppend(t, in, e)
		return e
	}
	mustAppend(t, outer, ticketed(1))
	begins(outer, inner)
	begins(inner, innermost)
	begins(innermost, outer) // whoever writes that does not send us round and round
	mustAppend(t, inner, ticketed(2))
	mustAppend(t, innermost, ticketed(3))
	mustRead(t, outer, "", ticketed(1), ticketed(2), ticketed(3))
	mustAppend(t, outer, ticketed(2)) // the inner one ends, and has passed its own on
	mustRead(t, outer, "", ticketed(1), ticketed(2), ticketed(3))
	if err := os.Remove(inner); err != nil {
		t.Fatal(err)
	}
	mustRead(t, outer, "", ticketed(1), ticketed(2))
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	begins(outer, fifo)
	mustRead(t, outer, "is no regular file", ticketed(1), ticketed(2))
}

// FuzzLinkLog: whatever stands in the file, what is read can be written and read
// again.
func FuzzLinkLog(f *testing.F) {
	f.Add(`{"time":"2026-01-01T00:00:00Z","tool":"cc","role":"cc","pid":7,"ticket":"link-1","outcome":"ticket","waited-seconds":1.5}` + "\n")
	f.Add(`{"outcome":"timeout","error":"x","waited-seconds":-1e300}` + "\n{}\n[]\n")
	f.Add("\x00\n{\"outcome\":1}\n")
	f.Add("\x00\x00{\"time\":\"2026-01-01T00:00:00Z\",\"outcome\":\"ticket\"}\n{\"time\":\"20{\"time\":\"2026-01-01T00:00:00Z\",\"outcome\":\"ticket\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, torn := parseJournal([]byte(text))
		if torn == 0 && len(list) == 0 && strings.TrimSpace(text) != "" {
			t.Errorf("%q: nothing was read, and nothing is wanting", text)
		}
		path := journal(t, t.TempDir())
		for _, e := range list {
			if e.Append(path) != nil {
				return // a time with a year that JSON does not have
			}
		}
		again, err := readJournal(path)
		if err != nil || len(again) != len(list) {
			t.Errorf("%q: %d events, then %d, %v", text, len(list), len(again), err)
		}
	})
}
