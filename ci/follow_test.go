package ci

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTail: what a file gains is copied once; another attempt's is copied from its
// beginning; one that is not there yet is waited for.
func TestTail(t *testing.T) {
	var out bytes.Buffer
	follow := &tail{out: &out}
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	add := func(name, text string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	follow.copy("")
	follow.copy(first)
	for _, text := range []string{"one", " two\n", ""} {
		add(first, text)
		follow.copy(first)
	}
	add(second, "again\n")
	follow.copy(second)
	add(second, "rest")
	follow.end(second)
	if got, want := out.String(), "one two\nagain\nrest"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	(*tail)(nil).copy(first) // nobody follows
}
