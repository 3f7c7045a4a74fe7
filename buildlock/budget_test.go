package buildlock

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestBudget(t *testing.T) {
	dir := lockDir(t, 1)
	b := BudgetOf(dir, "run/1")
	if got := b.Spent(); got != 0 {
		t.Errorf("%s of a new budget is gone", got)
	}
	var all sync.WaitGroup
	for range 20 { // links of one build beside each other
		all.Go(func() {
			if err := BudgetOf(dir, "run/1").Spend(3 * time.Second); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := b.Spent(); got != time.Minute {
		t.Errorf("%s is gone, want 1m", got)
	}
	if got := BudgetOf(dir, "run/2").Spent(); got != 0 {
		t.Errorf("%s of another build's is gone", got)
	}
	// What a kill or a full disk tore, and what is nonsense, counts as nothing.
	if err := os.WriteFile(b.path, []byte("1000000000\nx\n-5\n9223372036854775807\n99"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := b.Spent(); got != time.Second {
		t.Errorf("%s is gone, want 1s", got)
	}
	b.Drop()
	for _, d := range []time.Duration{3 * time.Second, 2 * time.Second} {
		if err := b.SpendAtLeast(d); err != nil || b.Spent() != 3*time.Second {
			t.Errorf("at least %s: %s is gone, %v", d, b.Spent(), err)
		}
	}
	// After an hour without being held back it is whole again.
	long := time.Now().Add(-budgetLife - time.Minute)
	if err := os.Chtimes(b.path, long, long); err != nil || b.Spent() != 0 {
		t.Errorf("after an hour %s is gone, %v", b.Spent(), err)
	}
	if err := b.Spend(time.Second); err != nil || b.Spent() != time.Second {
		t.Errorf("then %s is gone, %v", b.Spent(), err)
	}
	b.Drop()
	if _, err := os.Lstat(b.path); err == nil || b.Spent() != 0 {
		t.Error("it is there after its end")
	}
}

// Files of builds that are long over go when a new one begins; others stay, and
// no lock is seen in them.
func TestBudgetClears(t *testing.T) {
	dir := lockDir(t, 1)
	old, young, other := BudgetOf(dir, "old"), BudgetOf(dir, "young"), filepath.Join(dir, "held.99999.x")
	for _, b := range []Budget{old, young, {other}} {
		if err := b.Spend(time.Second); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-budgetLife - time.Minute)
	for _, path := range []string{old.path, other} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := BudgetOf(dir, "new").Spend(time.Second); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{old.path: false, young.path: true, other: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if list, err := Status(t.Context(), dir); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// In a directory that all may write to, nothing is followed and nothing of
// another user's is believed.
func TestBudgetOfAnother(t *testing.T) {
	dir := publicDir(t)
	b := BudgetOf(dir, "x")
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("1000000000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"a link": func() error { return os.Symlink(victim, b.path) },
		"a FIFO": func() error { return unix.Mkfifo(b.path, 0o666) },
		"a file": func() error {
			needs(t, os.Getuid() == 0, "root")
			if err := os.WriteFile(b.path, []byte("1000000000\n"), 0o666); err != nil {
				return err
			}
			return os.Chown(b.path, 65534, 65534)
		},
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Spent(), b.Spend(time.Second); got != 0 || err == nil {
			t.Errorf("%s: %s is gone, %v", name, got, err)
		}
		_ = os.Remove(b.path)
	}
	if data, _ := os.ReadFile(victim); strings.Count(string(data), "\n") != 1 {
		t.Errorf("written through a link: %q", data)
	}
}
