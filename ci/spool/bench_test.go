package spool

import (
	"testing"
)

// BenchmarkHand is a task more of a content that is there: what every gate of a night but
// the first costs.
func BenchmarkHand(b *testing.B) {
	st := newStage(b)
	s, t := st.open(), st.task()
	st.hand(s, t)
	for b.Loop() {
		st.tasks++
		t.Cookie = "gpuci-bench-" + string(rune('a'+st.tasks%26)) + "-" + newPart()
		if _, err := s.Hand(b.Context(), t, Sources); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTake is a result that is recorded here.
func BenchmarkTake(b *testing.B) {
	st := newStage(b)
	s := st.open()
	t := st.done(s)
	for b.Loop() {
		if _, err := s.Take(t, firstAttempt); err != nil {
			b.Fatal(err)
		}
	}
}

func newPart() string { return partName()[len(partPrefix):] }
