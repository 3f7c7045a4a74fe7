package device

import (
	"fmt"
	"slices"
	"testing"
)

// TestThrottleWords: each bit has a word, and idleness is no throttling.
func TestThrottleWords(t *testing.T) {
	all := reasons(2047)
	if len(all) != len(throttles) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(throttles) {
		t.Errorf("words: %q", all)
	}
	if got := slowed(reasons(1 | 4)); fmt.Sprint(got) != "[power cap]" {
		t.Errorf("idle and capped: %q", got)
	}
}
