package buildlock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is written is read again, with its wait in seconds; a torn line is passed
// over.
func TestLinkLogWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.jsonl")
	if list, err := ReadLinkLog(path); list != nil || err != nil {
		t.Errorf("no file: %v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte(`{"tool":"cc","outc`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []LinkEvent{
		{Time: time.Unix(1, 0).UTC(), Tool: "cc", Role: "cc", PID: 7, Ticket: "link-1", Waited: 1500 * time.Millisecond, Outcome: Ticketed},
		{Time: time.Unix(2, 0).UTC(), Tool: "ld", Role: "ld", PID: 8, Waited: 3 * time.Minute, Outcome: TimedOut, Error: "late", Remedy: "wait"},
	}
	for _, e := range want {
		if err := e.Append(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadLinkLog(path)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got): %s", err, diff)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"waited-seconds":1.5}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// FuzzLinkLog: whatever stands in the file, what is read can be written and read
// again.
func FuzzLinkLog(f *testing.F) {
	f.Add(`{"time":"2026-01-01T00:00:00Z","tool":"cc","role":"cc","pid":7,"ticket":"link-1","outcome":"ticket","waited-seconds":1.5}` + "\n")
	f.Add(`{"outcome":"timeout","error":"x","waited-seconds":-1e300}` + "\n{}\n[]\n")
	f.Add("\x00\n{\"outcome\":1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := ReadLinkLog(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Append(path) != nil {
				return // a time with a year that JSON does not have
			}
		}
		again, err := ReadLinkLog(path)
		if err != nil || len(again) != len(list) {
			t.Errorf("%q: %d events, then %d, %v", text, len(list), len(again), err)
		}
	})
}
