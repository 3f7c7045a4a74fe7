package trace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// broken spoils a file of the second of two processes, and gives what the report is then.
func broken(t *testing.T, spoil func(dir, stem string) error) (Recording, Report) {
	t.Helper()
	dir := t.TempDir()
	for pid := range 2 {
		f := newForge(t)
		f.head.PID = uint32(pid + 1)
		f.works(Work{Tie: f.ask(), Kind: Launch, Start: 1, End: 9})
		f.launch(f.kernel("k", 1))
		f.write(dir)
	}
	if err := errors.Join(Ready(dir), spoil(dir, filepath.Join(dir, "2-99"))); err != nil {
		t.Fatal(err)
	}
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	report, err := NewReport(t.Context(), r, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	return r, report
}

// TestMissing: a process whose files are broken does not hide the others; which it is is
// said, and numbers of a gate do not stand.
func TestMissing(t *testing.T) {
	write := func(name, text string) func(dir, stem string) error {
		return func(_, stem string) error { return os.WriteFile(stem+name, []byte(text), 0o644) }
	}
	for name, c := range map[string]struct {
		spoil func(dir, stem string) error
		want  string
	}{
		"another file": {write(".events", strings.Repeat("another ", 512)), "process 2 (2-99): its recording cannot be read: it begins with"},
		"names":        {write(".names", "none\n"), "process 2 (python3): its recording cannot be read: "},
		"no names":     {func(_, stem string) error { return os.Remove(stem + ".names") }, "process 2 (python3): its recording cannot be read: "},
		"no head":      {write(".events", ""), "1 process made a file and recorded nothing"},
		"could not": {func(dir, stem string) error {
			return errors.Join(os.Remove(stem+".events"), couldNot(dir, 2, "2 python3: Permission denied"))
		}, "process 2 python3: Permission denied: it could make no file"},
		"a later state": {func(_, stem string) error { return patch(stem+".events", 56, 9) }, "process 2 (2-99): its recording cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			r, report := broken(t, c.spoil)
			if len(report.Missing) != 1 || !strings.HasPrefix(report.Missing[0], c.want) || !slices.ContainsFunc(report.Notes, func(n string) bool { return strings.HasPrefix(n, c.want) }) {
				t.Errorf("%q, %q, want %s", report.Missing, report.Notes, c.want)
			}
			if i := slices.IndexFunc(report.Processes, func(p ProcessReport) bool { return p.PID == 1 }); i < 0 || report.Processes[i].Whole[Launches] != 1 {
				t.Errorf("%+v", report.Processes)
			}
			var text strings.Builder
			if err := report.Text(&text, Page{}); err != nil || !strings.Contains(text.String(), "note: ") || !strings.Contains(text.String(), "1 launch") {
				t.Errorf("%v: %s", err, &text)
			}
			var no *Uncounted
			if _, err := r.Measure(t.Context(), Counting{}, []Wanted{{"launches", WholeRun, nil}}); !errors.As(err, &no) || no.Next == "" {
				t.Errorf("measured: %v", err)
			}
		})
	}
}

// TestMissingTimes: where only the times cannot be read, the counts stand.
func TestMissingTimes(t *testing.T) {
	_, report := broken(t, func(_, stem string) error {
		return errors.Join(os.Remove(stem+".device"), os.Mkdir(stem+".device", 0o755))
	})
	p := report.Processes[1]
	if len(report.Missing) != 0 || p.Whole[Launches] != 1 || p.Device != nil || !strings.Contains(p.Timed.Why, "no regular file") || report.Processes[0].Device == nil {
		t.Errorf("%q, %+v, %+v", report.Missing, p.Timed, p.Device)
	}
}

// TestMissingAll: of nothing but processes that could make no file that is said, and not
// that none used CUDA.
func TestMissingAll(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(Ready(dir), couldNot(dir, 7, "7 a.out: No space left on device"), couldNot(dir, 63, "63 b")); err != nil {
		t.Fatal(err)
	}
	var none *NoRecording
	if r, err := ReadDir(dir); !errors.As(err, &none) || !slices.Equal(r.Unmade, []string{"7 a.out: No space left on device", "63 b"}) || !strings.Contains(err.Error(), "it could make no file") {
		t.Errorf("%+v, %v", r, err)
	}
	var no *Uncounted
	if _, err := MeasureDir(t.Context(), dir, []Wanted{{"launches", WholeRun, nil}}); !errors.As(err, &no) || !strings.Contains(no.Why, "7 a.out") {
		t.Errorf("%v", err)
	}
}

// couldNot writes what a process does that can make no file.
func couldNot(dir string, pid int64, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, unmadeFile), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text), pid%unmadePlaces*unmadeSize)
	return errors.Join(err, f.Close())
}

func patch(path string, at int64, b byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{b}, at)
	return errors.Join(err, f.Close())
}
