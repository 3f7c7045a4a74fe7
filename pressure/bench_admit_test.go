//go:build bench && linux

package pressure

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// TestBenchAdmission: what a link or a gate pays on a quiet machine for asking
// whether it may begin. Beside it one plain read of the same file, in turn.
// Issue 5: at most 0.2 ms.
func TestBenchAdmission(t *testing.T) {
	const rounds = 2000
	rule := DefaultRule()
	rule.Long = 100 // quiet or not: the way of a quiet machine is measured
	memory := rule
	memory.MinFree = 1
	ways := []struct {
		name string
		do   func() error
	}{
		{"Admission.Wait", func() error { _, err := (Admission{Rule: rule}).Wait(t.Context()); return err }},
		{"with min-free", func() error { _, err := (Admission{Rule: memory}).Wait(t.Context()); return err }},
		{"os.ReadFile of /proc/pressure/io", func() error { _, err := os.ReadFile(Real + "/io"); return err }},
	}
	took := make([][]time.Duration, len(ways))
	for range rounds {
		for i, w := range ways {
			began := time.Now()
			if err := w.do(); err != nil {
				t.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, w := range ways {
		slices.Sort(took[i])
		fmt.Printf("%-34s median %6.1f us, 99th percentile %6.1f us  n=%d  aim 200 us\n", w.name,
			took[i][rounds/2].Seconds()*1e6, took[i][rounds*99/100].Seconds()*1e6, rounds)
	}
}
