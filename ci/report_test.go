package ci

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
	"gpuci/gates/junit"
)

var update = flag.Bool("update", false, "write what is found into testdata")

// everyKind is a report with all that there is to tell, and names and texts that
// would break each of its forms.
func everyKind(t testing.TB) Report {
	t.Setenv("TZ", "UTC")
	at := time.Date(2026, 11, 30, 2, 0, 0, 0, time.Local)
	run := func(gate string, o gates.Outcome, why string) Cell {
		return Cell{Gate: gate, State: Ran, Outcome: o, Exit: o.ExitCode(), Why: why, Run: "r", Seconds: 1.5, Started: at}
	}
	newly := run("unit", gates.Red, "2 tests failed: a|b, <c>\n::error::x")
	newly.Change, newly.Before, newly.Next = NewlyRed, "green on 2026-11-29 at 0123456789", []string{"read /tmp/run.log"}
	still := run("lint", gates.BuildFailed, "exit status 1")
	still.Change, still.Since, still.From, still.State = StillRed, at.AddDate(0, 0, -3), "abcdef0123456789", Stands
	green := run("unit", gates.Green, "")
	green.Change, green.Before = NewlyGreen, "red on 2026-11-29"
	green.Pace = []Pace{{Metric: "step", Labels: "card=0", Unit: "ms", Value: 6, Low: 4.5, High: 5, Points: 20, Slower: true}, {Metric: "seconds", Unit: "s", Value: 1.5, Low: 4, High: 5, Points: 9}}
	refused := run("bench", gates.Refused, "it needs gpu")
	refused.Stale = "green on 2026-11-20 at 0123456789"
	stale, same := notRun("lint", "after unit, which is red", 0), notRun("bench", "the night ended at 07:00", 75)
	look := run("unit", gates.Attention, "a note is stale")
	look.Reasons = []string{"a note is stale", "another one, too"}
	const gap = "scope gap: chunks = 32 of production is not covered"
	green.Marks, look.Marks, newly.Marks, still.Marks = []string{gap}, []string{gap}, []string{gap}, []string{"never falsified: gpuci falsify lint shows whether it can be red"}
	stale.Stale, same.Still = "green on 2026-11-20 at 0123456789", "green as before, on 2026-11-20 at 0123456789"
	still.Next = []string{"gpuci history lint shows what came of it"}
	return Report{
		Type: "night", Night: "20261130T020000Z-00000000", Nightly: true, Began: at, Ended: at.Add(time.Hour), Until: "07:00", Dir: "/state/ci/n", Notes: []string{"a worktree cannot be read"},
		Exit: 101,
		Lanes: []Lane{
			{Head: Head{Lane: "main", Branch: "main", Commit: "0123456789", Changed: 3}, Cells: []Cell{green, still, refused}},
			{Head: Head{Lane: "kda|`x`\x1b[31m\n@all", Branch: "kda"}, Cells: []Cell{newly, notRun("lint", "after unit, which is red", 0)}},
			{Head: Head{Lane: "same"}, As: "main", Cells: []Cell{look, stale, same}},
			{Head: Head{Lane: "wrong", Why: "its gpuci.toml is wrong", Exit: 78}},
			{Head: Head{Lane: "empty", Why: "it has no gpuci.toml"}},
		},
	}
}

// TestForms holds every form of a report against testdata.
func TestForms(t *testing.T) {
	r := everyKind(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"report.txt":   func(b *bytes.Buffer) error { return r.WriteText(b) },
		"report.md":    func(b *bytes.Buffer) error { return r.WriteMarkdown(b) },
		"report.jsonl": func(b *bytes.Buffer) error { return r.WriteJSON(b) },
		"annotations":  func(b *bytes.Buffer) error { return r.WriteAnnotations(b) },
		"report.xml":   func(b *bytes.Buffer) error { return junit.Write(b, r.Suites()) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// TestEscapes: whatever a lane's name or a test's output holds, each annotation is
// one command, no line of text has a control character, and each row of the table
// has its cells.
func TestEscapes(t *testing.T) {
	r := everyKind(t)
	var text, annotations, md bytes.Buffer
	for _, err := range []error{r.WriteText(&text), r.WriteAnnotations(&annotations), r.WriteMarkdown(&md)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsFunc(strings.ReplaceAll(text.String(), "\n", ""), unsafeRune) {
		t.Errorf("control characters in\n%q", &text)
	}
	for line := range strings.Lines(annotations.String()) {
		if strings.Count(line, "::") < 2 || !strings.HasPrefix(line, "::") || strings.Contains(line[2:strings.Index(line[2:], "::")+2], ",") {
			t.Errorf("no command, or one with a stray property: %s", line)
		}
	}
	rows := 0
	for line := range strings.Lines(md.String()) {
		if strings.HasPrefix(line, "|") {
			rows++
			if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 5 {
				t.Errorf("a row with %d borders: %s", n, line)
			}
		}
	}
	if rows != 7 {
		t.Errorf("%d rows, want 7", rows)
	}
	if got := githubProperty("a%b:c,d\r\n"); got != "a%25b%3Ac%2Cd%0D%0A" {
		t.Errorf("a property is escaped as %s", got)
	}
}

// TestReportReadsAgain: what the next night reads is what this one wrote.
func TestReportReadsAgain(t *testing.T) {
	r := everyKind(t)
	b := books{t.TempDir()}
	if err := os.Mkdir(b.night(r.Night), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := b.keep(r); err != nil {
		t.Fatal(err)
	}
	again := b.report(b.name(lastReported))
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(again)
	if d := cmp.Diff(string(want), string(got)); err != nil || d != "" {
		t.Errorf("%v: -want +got\n%s", err, d)
	}
}
