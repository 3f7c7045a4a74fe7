package falsify

import (
	"strings"
	"testing"

	"gpuci/gates/history"
)

// TestNumbersToldApart: two numbers that are held against each other do not look alike.
func TestNumbersToldApart(t *testing.T) {
	factor := func(x float64) history.Move { return history.Move{Metric: "rel", Factor: &x} }
	for _, c := range []struct{ got, want string }{
		{went(1, 1.0001), "it went from 1 to 1.0001"},
		{went(2.5, 26), "it went from 2.5 to 26"},
		{factorText(factor(99.99), 100), "99.99 times its bar"},
		{factorText(factor(1.0002)), "1.0002 times its bar"},
		{factorText(factor(0.99999)), "0.99999 times its bar"},
		{factorText(factor(30000)), "30000 times its bar"},
	} {
		if !strings.HasPrefix(c.got, c.want) {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
