package trace

import (
	"strings"
	"testing"
)

// TestDiffBlurred: a difference of steps that cannot be told apart is none that is known of,
// and one of another stage is.
func TestDiffBlurred(t *testing.T) {
	launches := []int{9, 3, 3, 3, 3, 3}
	f, lines := blurredSteps(t, launches, nil)
	a := f.report(Counting{Lines: lines, Warm: 1})
	f, lines = blurredSteps(t, launches, map[int]int{3: 1})
	b := f.report(Counting{Lines: lines, Warm: 1})
	d := Diff(a, b)
	text := strings.Join(strings.Fields(diffText(t, d)), " ")
	if d.Same || !d.Unsure || !strings.Contains(text, "not exact in B: 2 warm steps cannot be told apart") || strings.Contains(text, "exact, a step") {
		t.Errorf("%+v\n%s", d, text)
	}
	if d = Diff(b, b); !d.Same || d.Unsure {
		t.Errorf("of itself: %+v", d)
	}
	f, lines = blurredSteps(t, []int{9, 3, 3, 4, 3, 3}, nil)
	if d = Diff(a, f.report(Counting{Lines: lines, Warm: 1})); d.Same || d.Unsure {
		t.Errorf("of one that is known: %+v", d)
	}
}
