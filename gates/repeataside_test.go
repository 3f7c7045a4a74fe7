package gates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGiveBack: what a killed run had moved away comes back to where nothing is, and
// stays written down for as long as it cannot.
func TestGiveBack(t *testing.T) {
	lane, state := t.TempDir(), t.TempDir()
	dir := filepath.Join(state, "runs", "r")
	write := func(path, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var said []string
	f := &flow{opt: Options{State: state, Note: func(text string) { said = append(said, text) }}}
	j := asideJournal{path: write(filepath.Join(dir, asideName), ""), Dir: lane}
	twice, there, early := filepath.Join(lane, "rep/twice.xml"), write(filepath.Join(lane, "there.xml"), "now"), write(filepath.Join(lane, "early.xml"), "still")
	if err := j.add([][2]string{
		{twice, write(filepath.Join(dir, "reports-1/twice.xml"), "older")}, {there, write(filepath.Join(dir, "reports-1/there.xml"), "older")},
		{twice, write(filepath.Join(dir, "reports-2/twice.xml"), "newer")}, {early, filepath.Join(dir, "reports-2/early.xml")}, // it was killed before it moved this one
	}); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(lane, "rep"), "a file where a directory was")
	if f.giveBack(startedRecord{Run: "r", Gate: "g"}) || !exists(j.path) || len(said) != 1 {
		t.Errorf("what cannot be put back is forgotten: %q", said)
	}
	if err := os.Remove(filepath.Join(lane, "rep")); err != nil {
		t.Fatal(err)
	}
	said = nil
	if !f.giveBack(startedRecord{Run: "r", Gate: "g"}) || exists(j.path) || len(said) != 1 || !strings.Contains(said[0], twice) || strings.Contains(said[0], there) {
		t.Errorf("said %q", said)
	}
	for path, want := range map[string]string{twice: "newer", there: "now", early: "still"} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}
