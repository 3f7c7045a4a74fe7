package device

import "testing"

func TestSummarize(t *testing.T) {
	if r := summarize([]float64{4, 1, 3, 2}); r != (Range{1, 4, 2.5, 2.5, 4}) {
		t.Errorf("%+v", r)
	}
	if r := summarize(nil); r != (Range{}) {
		t.Errorf("%+v", r)
	}
}

// TestUnsureWhich: where several cards were watched it is said on which.
func TestUnsureWhich(t *testing.T) {
	cards := []Summary{{Card: Card{UUID: "GPU-a", Name: "NVIDIA H200"}}, {Card: Card{UUID: "GPU-b", Name: "NVIDIA H200", Index: 1}}}
	r := Report{Looks: 1, Doubted: 1, Doubts: []Doubt{{Card: "GPU-b", Why: "memory", Lasting: true}}, Cards: cards[1:]}
	for _, want := range []string{"memory", "memory, on NVIDIA H200 1 (GPU-b)"} {
		if got := r.Unsure(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
		r.Cards = cards
	}
}
