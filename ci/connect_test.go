package ci

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOpenOf: what a journal says may still be elsewhere.
func TestOpenOf(t *testing.T) {
	begun := func(cookie, gate string) line { return line{Type: started, Tree: "t", Gate: gate, Cookie: cookie} }
	came := func(gate string, state State) line {
		return line{Type: done, Tree: "t", Cells: []Cell{{Gate: gate, State: state}}}
	}
	for name, c := range map[string]struct {
		lines       []line
		open        []string
		interrupted bool
	}{
		"nothing":                  {nil, nil, false},
		"begun":                    {[]line{begun("c1", "a"), begun("c2", "b")}, []string{"c1", "c2"}, false},
		"done":                     {[]line{begun("c1", "a"), begun("c2", "b"), came("a", Ran)}, []string{"c2"}, false},
		"of another content":       {[]line{begun("c1", "a"), {Type: done, Tree: "u", Cells: []Cell{{Gate: "a", State: Ran}}}}, []string{"c1"}, false},
		"about to be ended":        {[]line{begun("c1", "a"), {Type: stopping}}, []string{"c1"}, true},
		"ended":                    {[]line{begun("c1", "a"), {Type: stopping}, {Type: cut, Cookies: []string{"c1"}}, came("a", NotRun)}, nil, false},
		"not ended, and given up":  {[]line{begun("c1", "a"), {Type: stopping}, came("a", NotRun), {Type: stopped}}, []string{"c1"}, true},
		"again under another name": {[]line{begun("c1", "a"), {Type: stopping}, {Type: cut, Cookies: []string{"c1"}}, {Type: resumed}, begun("c2", "a")}, []string{"c2"}, false},
		"here":                     {[]line{{Type: started, Tree: "t", Gate: "a"}}, nil, false},
	} {
		open, interrupted := openOf(c.lines)
		var cookies []string
		for _, l := range open {
			cookies = append(cookies, l.Cookie)
		}
		if d := cmp.Diff(c.open, cookies); d != "" || interrupted != c.interrupted {
			t.Errorf("%s: interrupted %v, -want +got\n%s", name, interrupted, d)
		}
	}
}
