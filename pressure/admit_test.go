package pressure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fixture is a directory of pressure files with an IO full of level percent.
func fixture(t *testing.T, level float64) string {
	t.Helper()
	dir := t.TempDir()
	line := fmt.Sprintf(" avg10=%.2f avg60=%.2f avg300=%.2f total=1000000\n", level, level, level)
	write(t, dir, map[string]string{"io": "some" + line + "full" + line})
	return dir
}

// ruleAt is the usual rule for another directory.
func ruleAt(dir string) Rule {
	r := DefaultRule()
	r.Root = dir
	return r
}

// Field case 3: memory is fine, IO full stands at 63.64 %, and work that is not
// the cause does not begin; the reason is told, with the longest it can take.
func TestFieldCase3(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var told []string
	a := Admission{
		Rule:   ruleAt(fixture(t, 63.64)),
		Others: func() Others { return Others{Count: 52, Text: "52 processes in D"} },
		Held:   func(h Hold) { told = append(told, h.String()); cancel(enough) },
	}
	if got, err := a.Wait(ctx); !errors.Is(err, enough) || got.Held != 0 {
		t.Errorf("it began: %+v, %v", got, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "io full 64% over 10 s") || !strings.Contains(told[0], "52 processes in D") || !strings.Contains(told[0], "held back for 5m0s at most") {
		t.Errorf("told %q", told)
	}
}

// Field case 4: somebody else keeps the disk at 45 %. One is let through after
// the bound, and marked; the next ones of the same build do not wait again.
func TestFieldCase4(t *testing.T) {
	rule := Rule{Long: 40, Short: 40, Resume: 20, Budget: 4 * time.Second, Root: fixture(t, 45)}
	var spent atomic.Int64
	a := Admission{
		Rule: rule, Others: func() Others { return Others{Count: 1, Text: "dd (pid 991)"} },
		Spent: func() time.Duration { return time.Duration(spent.Load()) },
		Spend: func(d time.Duration) { spent.Add(int64(d)) },
	}
	held := 0
	a.Held = func(Hold) { held++ }
	first, err := a.Wait(t.Context())
	if err != nil || !strings.Contains(first.Under, "dd (pid 991)") || held != 1 || first.Held < rule.Budget {
		t.Errorf("first: %+v, %v, held %d times", first, err, held)
	}
	for range 3 {
		again, err := a.Wait(t.Context())
		if err != nil || again.Under == "" || again.Held != 0 || held != 1 {
			t.Errorf("again: %+v, %v, held %d times", again, err, held)
		}
	}
	a.Others = func() Others { return Others{} } // the same numbers, by our own doing
	if own, err := a.Wait(t.Context()); err != nil || own.Under != "" {
		t.Errorf("own: %+v, %v", own, err)
	}
}

func TestAdmitMemory(t *testing.T) {
	rule := ruleAt(fixture(t, 0))
	rule.MinFree, rule.Budget = 2<<30, time.Millisecond
	info := filepath.Join(t.TempDir(), "meminfo")
	for free, under := range map[int]bool{1 << 20: true, 4 << 20: false} {
		write(t, filepath.Dir(info), map[string]string{"meminfo": fmt.Sprintf("MemTotal: 8388608 kB\nMemAvailable: %d kB\n", free)})
		got, err := Admission{Rule: rule, Memory: info}.Wait(t.Context())
		if err != nil || (got.Under != "") != under {
			t.Errorf("%d KiB: %+v, %v", free, got, err)
		}
		if under && got.Under != "1.0 GiB of memory available, min-free is 2.0 GiB" {
			t.Errorf("under %q", got.Under)
		}
	}
}

// More than the machine has is not waited for.
func TestAdmitTooMuch(t *testing.T) {
	rule := ruleAt(fixture(t, 0))
	rule.MinFree = 1 << 50
	if got, err := (Admission{Rule: rule}).Wait(t.Context()); err != nil || got.Held != 0 || got.Unknown == nil || !strings.Contains(got.Unknown.Error(), "in all") {
		t.Errorf("%+v, %v", got, err)
	}
}

// What cannot be told is loud: marked, or refused, as the rule says.
func TestAdmitUnknown(t *testing.T) {
	for name, a := range map[string]Admission{
		"no PSI":     {Rule: ruleAt(t.TempDir())},
		"no meminfo": {Rule: Rule{Long: 40, Short: 60, Resume: 25, MinFree: 1, Root: fixture(t, 0)}, Memory: filepath.Join(t.TempDir(), "meminfo")},
	} {
		got, err := a.Wait(t.Context())
		if err != nil || !errors.Is(got.Unknown, fs.ErrNotExist) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		a.Rule.Refuse = true
		if got, err = a.Wait(t.Context()); !errors.Is(err, ErrRefused) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, refusing: %+v, %v", name, got, err)
		}
		a.Rule.Off = true
		if got, err = a.Wait(t.Context()); err != nil || got != (Admitted{}) {
			t.Errorf("%s, off: %+v, %v", name, got, err)
		}
	}
}

// Field case 13 in front of a link: the file is there and cannot be read.
func TestAdmitSwitchedOff(t *testing.T) {
	got, err := Admission{Rule: ruleAt(mountOff(t))}.Wait(t.Context())
	if err != nil || got.Unknown == nil || !strings.Contains(got.Unknown.Error(), "psi=1") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRule(t *testing.T) {
	for _, r := range []Rule{DefaultRule(), {Off: true}, {Long: 12.5, Short: 1, Resume: 0.25, MinFree: 28 << 30, Budget: 90 * time.Second, Refuse: true}, ruleAt("/a b/root=c")} {
		if got, err := ParseRule(r.String()); err != nil || got != r {
			t.Errorf("%s is read as %+v, %v", r, got, err)
		}
	}
	if got, err := ParseRule(" long=30 "); err != nil || got.Long != 30 || got.Short != DefaultRule().Short {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ParseRule("long=20 resume=10 min-free=1.5GiB"); err != nil || got.MinFree != 3<<29 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"long", "long=NaN", "long=200", "lng=1", "budget=-5m", "min-free=-1", "unknown=", "off long=3", "root=", "root=x", "long=1 root=y", "resume=50", "budget=5", "min-free=1GB", "min-free=-1KiB"} {
		if got, err := ParseRule(text); err == nil || got != (Rule{}) {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"", "off", DefaultRule().String(), "long=1e1 unknown=refuse", "budget=1h min-free=9223372036854775807", "=\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		if again, err := ParseRule(r.String()); err != nil || again != r {
			t.Fatalf("%q is %+v; its words %q are %+v, %v", text, r, r, again, err)
		}
	})
}
