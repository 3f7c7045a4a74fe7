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
