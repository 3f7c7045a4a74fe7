//go:build bench

package device_test

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"gpuci/kernels/device"
)

// TestBenchLook says what a look costs on this machine's own driver: the first one
// with the child's start and NVML's, later ones whole and as a watch takes them, and
// nvidia-smi in the same run.
func TestBenchLook(t *testing.T) {
	began := time.Now()
	s, err := device.Open(t.Context(), device.Options{})
	if errors.Is(err, device.ErrNoDriver) {
		t.Skipf("NOT MEASURED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Logf("first look, with the child's start: %v", time.Since(began))
	const n = 50
	var source string
	began = time.Now()
	for range n {
		l, err := s.Look(t.Context(), nil)
		if err != nil || l.Silent != "" {
			t.Fatalf("look: %v %s", err, l.Silent)
		}
		source = l.Source
	}
	t.Logf("a look by %s: %v (mean of %d)", source, time.Since(began)/n, n)
	l, err := s.Look(t.Context(), nil)
	if err != nil || len(l.Cards) == 0 {
		t.Fatalf("look: %v", err)
	}
	w := device.Watch(t.Context(), s, device.Watching{Cards: []string{l.Cards[0].UUID}})
	time.Sleep(5 * time.Second) // the length of what is measured
	r := w.Stop()
	t.Logf("a watch of 5 s: %d looks, longest gap %v, %s: %s", r.Looks, r.Gap, r.State(), r.Why())
	began = time.Now()
	for range 5 {
		if out, err := exec.Command("nvidia-smi", "-q", "-x").CombinedOutput(); err != nil {
			t.Logf("nvidia-smi: %v: %.200s", err, out)
			return
		}
	}
	t.Logf("nvidia-smi -q -x: %v (mean of 5)", time.Since(began)/5)
}
