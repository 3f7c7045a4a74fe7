package tsv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func row(run, metric, labels string, v float64) Row {
	return Row{
		Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Run: run, Gate: "g", Outcome: "green", Lane: "main", Branch: "main", Commit: "c0ffee",
		Metric: metric, Labels: labels, Unit: "ms", Count: 2, Low: v, High: v, Last: v, Host: "box", Gpuci: "dev",
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustAppend(t *testing.T, path string, want int, rows ...Row) {
	t.Helper()
	if n, err := Append(filepath.Dir(path), filepath.Base(path), rows); err != nil || n != want {
		t.Fatalf("appended %d, %v; want %d", n, err, want)
	}
}

// What is there stays to the byte, and no row comes twice.
func TestAppend(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "benches", "history.tsv")
	if n, err := Append(root, "benches/history.tsv", []Row{row("0", "x", "", 1)}); n != 1 || err != nil {
		t.Fatalf("appended %d, %v, where there was no directory yet", n, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, 2, row("1", "step-ms", "", 0.1), row("1", "step-ms", "n=1", 1e-300))
	first := read(t, path)
	mustAppend(t, path, 0, row("1", "step-ms", "", 0.1))
	mustAppend(t, path, 1, row("1", "step-ms", "", 0.1), row("2", "odd\tname\\n\n", "a=\"b c\"", 3))
	text := read(t, path)
	if !strings.HasPrefix(text, first) || strings.Count(text, "\n") != 4 {
		t.Errorf("the first rows did not stay:\n%s", text)
	}
	file, err := Read(path)
	if err != nil || file.Rows() != 3 || len(file.Problems) > 0 || !file.Has(Key{"2", "odd\tname\\n\n", "a=\"b c\""}) {
		t.Errorf("read %d rows, %q, %v", file.Rows(), file.Problems, err)
	}
	if !strings.Contains(text, "\t0.1\t0.1\t0.1\t") || !strings.Contains(text, "\t1e-300\t") {
		t.Errorf("numbers are not exact:\n%s", text)
	}
}

// A file of an older version keeps its columns; one whose last line has no end
// gets one.
func TestAppendToOldColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.tsv")
	old := "run\tmetric\tlabels\tmean\n0\tx\t\t5"
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, 1, row("1", "x", "n=1", 7))
	if d := cmp.Diff(old+"\n1\tx\tn=1\t\n", read(t, path)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestAppendRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"foreign":  "name,value\n1,2\n",
		"conflict": strings.Join(columns, "\t") + "\n<<<<<<< HEAD\n",
		"torn":     strings.Join(columns, "\t") + "\n1\t2\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if n, err := Append(filepath.Dir(path), filepath.Base(path), []Row{row("1", "x", "", 1)}); n != 0 || !errors.Is(err, ErrFormat) || read(t, path) != text {
			t.Errorf("%s: appended %d, %v", name, n, err)
		}
	}
	if _, err := Append(filepath.Dir(dir), filepath.Base(dir), []Row{row("1", "x", "", 1)}); err == nil {
		t.Error("appended to a directory")
	}
	if n, err := Append("/dev", "full", []Row{row("1", "x", "", 1)}); err == nil {
		t.Errorf("appended %d to /dev/full", n)
	}
}

// Many at once: each row is there once and whole.
func TestAppendAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.tsv")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				if _, err := Append(filepath.Dir(path), filepath.Base(path), []Row{row("shared", "x", fmt.Sprint(j), 1), row(fmt.Sprint(i), "x", fmt.Sprint(j), 1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	file, err := Read(path)
	if err != nil || len(file.Problems) > 0 || file.Rows() != 180 || strings.Count(read(t, path), "\n") != 181 {
		t.Errorf("%d rows, %q, %v", file.Rows(), file.Problems, err)
	}
}

func TestHeld(t *testing.T) {
	for _, tc := range []struct {
		name, earlier, later string
		want                 []Loss
	}{
		{"the same", "h\na\nb\n", "h\na\nb\n", nil},
		{"appended", "h\na\n", "h\na\nb\n", nil},
		{"between, as a union merge does", "h\na\nb\n", "h\na\nx\nb\n", nil},
		{"other line ends", "h\na\n", "h\r\na\r\nb\r\n", nil},
		{"no end", "h\na", "h\na\nb", nil},
		{"from nothing", "", "h\n", nil},
		{"changed", "h\na\nb\n", "h\nA\nb\n", []Loss{{2, "a", false}}},
		{"lost at the end", "h\na\nb\n", "h\na\n", []Loss{{3, "b", false}}},
		{"all lost", "h\na\n", "", []Loss{{1, "h", false}, {2, "a", false}}},
		{"sorted", "h\nb\na\n", "h\na\nb\n", []Loss{{3, "a", true}}},
		{"one of two alike", "h\na\na\n", "h\na\n", []Loss{{3, "a", true}}},
	} {
		if d := cmp.Diff(tc.want, Held([]byte(tc.earlier), []byte(tc.later))); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, d)
		}
	}
}

func TestProblems(t *testing.T) {
	header := "run\tmetric\tlabels\tlow\n"
	for text, want := range map[string]string{
		"1\tx\t\t5\n1\tx\t\t5\n":           "",
		header + "1\tx\t\t5\n":             "",
		"1\tx\t\t5\n1\tx\t\t6\n":           "line 3 says otherwise of run 1, x than line 2",
		"1\tx\n":                           "line 2 has 2 fields",
		"<<<<<<< HEAD\n=======\n>>>>>>>":   "line 2 is left of a merge",
		"1\tx\t\t5\n\n2\tx\t\t5\n":         "",
		"1\tx\t\t5\n||||||| 3c0ffee\n":     "line 3 is left of a merge",
		"1\tx\t\t5\n=======x\ty\tz\tlow\n": "",
	} {
		file, err := Parse([]byte(header + text))
		got := strings.Join(file.Problems, "; ")
		if err != nil || !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

// Whatever is in a row comes back as its key, on one line.
func FuzzRow(f *testing.F) {
	f.Add("run", "metric", "a=b c")
	f.Add(`\t`, "\t\n\r", `\\n`)
	f.Fuzz(func(t *testing.T, run, metric, labels string) {
		r := Row{Run: run, Metric: metric, Labels: labels}
		line := r.line(columns)
		k, ok := key(columns, line)
		if !ok || k != r.Key() || strings.ContainsAny(line, "\n\r") {
			t.Errorf("%q became %q", r.Key(), line)
		}
	})
}

// Hostile files are read to their end; lines that were held are still held
// after more is appended.
func FuzzParse(f *testing.F) {
	f.Add("run\tmetric\tlabels\n1\tx\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse([]byte(text)); err != nil && !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
		if lost := Held([]byte(text), []byte(text+"\nmore\n")); len(lost) > 0 && strings.HasSuffix(text, "\n") {
			t.Errorf("%q lost %+v", text, lost)
		}
	})
}
