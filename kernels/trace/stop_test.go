package trace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Whoever is told to stop stops, says why, and leaves no half of a file; of what was read by
// then nothing is taken for a count, or for a broken recording.
func TestStopped(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	for range 2 * asksEvery {
		f.launch(k)
	}
	dir, stop := t.TempDir(), errors.New("stop")
	f.write(dir)
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	line, err := NewTimeline(t.Context(), r, nil, Counting{}, TimelineOptions{Step: MedianStep})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	read := 0
	if err := r.Processes[0].Events(ctx, func(Event) bool { read++; return true }); !errors.Is(err, stop) || read > asksEvery {
		t.Errorf("%v after %d events", err, read)
	}
	if _, err := NewReport(ctx, r, nil, Counting{}); !errors.Is(err, stop) {
		t.Errorf("report: %v", err)
	}
	if _, err := r.Measure(ctx, Counting{}, []Wanted{{"launches", WholeRun, nil}}); !errors.Is(err, stop) {
		t.Errorf("measure: %v", err)
	}
	if _, err := NewTimeline(ctx, r, nil, Counting{}, TimelineOptions{Step: MedianStep}); !errors.Is(err, stop) {
		t.Errorf("timeline: %v", err)
	}
	to := t.TempDir()
	for _, name := range []string{"a.json", "a.json.gz"} {
		if err := line.WriteFile(ctx, filepath.Join(to, name)); !errors.Is(err, stop) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(to); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
