package gates

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
)

func gateWith(axes ...string) config.Gate {
	g := config.Gate{Scope: make(map[string]config.Axis)}
	for _, a := range axes {
		g.Scope[a] = config.Axis{Shown: true, Production: []any{int64(1)}}
	}
	return g
}

// TestShownLines: what counts as a gate's word on what it covers, as for numbers.
func TestShownLines(t *testing.T) {
	for _, c := range []struct {
		line, want string
		faults     int
	}{
		{"gpuci:scope chunks=4", "4", 0},
		{"gpuci:scope chunks=4.0 heads=8", "4", 0},
		{"test a::b ... gpuci:scope chunks=4", "4", 0},
		{"..gpuci:scope chunks=4", "4", 0},
		{"    a_test.go:12: gpuci:scope chunks=4", "4", 0},
		{"12:00 INFO gpuci:scope chunks=4", "4", 0},
		{"gpuci:scope chunks=1 and gpuci:scope chunks=2", "1 2", 1},
		{`gpuci:scope chunks="4 x"`, "4 x", 0},
		{"gpuci:scope chunks=−4", "-4", 0},
		{"print gpuci:scope other=4 to say so", "", 0},
		{"gpuci:scoped chunks=4", "", 0},
		{"gpuci:scope-x chunks=4", "", 0},
		{"gpuci:scope", "", 1},
		{"gpuci:scope chunks", "", 1},
		{"gpuci:scope chunks=", "", 1},
		{"gpuci:scope chunks=nan", "", 1},
		{"gpuci:scope chunks=-Inf", "", 1},
		{"gpuci:scope chunks=1 chunks=2", "1", 1},
		{`gpuci:scope chunks="4`, "", 1},
		{"test -f big && echo gpuci:scope chunks=32", "", 0},
		{"+ echo gpuci:scope chunks=32 || true", "", 0},
		{`    print("gpuci:scope chunks=32")`, "", 0},
		{"INFO echo-server gpuci:scope chunks=4", "4", 0},
		{"2026-11-30 | INFO | print:run:12 - gpuci:scope chunks=4", "4", 0},
		{"# gpuci:scope chunks=32", "", 0},
		{"// gpuci:scope chunks=32", "", 0},
		{"skipped: gpuci:scope chunks=32", "", 0},
		{"not run: gpuci:scope chunks=32", "", 0},
		{`V=32; echo "gpuci:scope chunks=$V"`, "", 0},
		{"INFO gpuci:scope chunks=", "", 1},
		{"gpuci:scope chunks=" + strings.Repeat("9", maxSpot+1), "", 1},
	} {
		s := newShown(gateWith("chunks"))
		s.line([]byte(c.line))
		if got := strings.Join(texts(s.of("chunks")), " "); got != c.want || len(s.problems()) != c.faults {
			t.Errorf("%.60q: %q, %q", c.line, got, s.problems())
		}
	}
	s := newShown(gateWith("chunks"))
	for i := range maxSpots + 10 {
		s.line([]byte(fmt.Sprintf("gpuci:scope chunks=%d", i)))
	}
	if len(s.of("chunks")) != maxSpots || len(s.problems()) != maxScopeFaults+1 {
		t.Errorf("%d places, %d problems", len(s.of("chunks")), len(s.problems()))
	}
}

// TestAxisScope: gaps by share and by distance, and how numbers are written.
func TestAxisScope(t *testing.T) {
	list := func(v ...any) []any { return v }
	for _, c := range []struct {
		covered, production []any
		printed             []string
		want                AxisScope
		text                string
	}{
		{list(int64(1), int64(2), int64(4)), list(int64(32)), nil,
			AxisScope{State: ScopeClaimed, Covered: []string{"1", "2", "4"}, Production: []string{"32"}, Missing: []string{"32"}, Gap: 1, Ratio: 8},
			"a 1 2 4 of production 32 (claimed, not shown)"},
		{list(int64(1), 2.0, "x"), list(1.0, int64(2), "x", "y"), []string{"2.0", "x"},
			AxisScope{State: ScopeShown, Covered: []string{"2", "x"}, Production: []string{"1", "2", "x", "y"}, Missing: []string{"1", "y"}, Unshown: []string{"1"}, Gap: 0.5, Ratio: 2},
			"a 2 x of production 1 2 x y"},
		{list(0.5), list(int64(0), int64(-1)), nil,
			AxisScope{State: ScopeClaimed, Covered: []string{"0.5"}, Production: []string{"-1", "0"}, Missing: []string{"-1", "0"}, Gap: 1},
			"a 0.5 of production -1 0 (claimed, not shown)"},
		{list(int64(1000000)), list(1e6, "1000000"), nil,
			AxisScope{State: ScopeClaimed, Covered: []string{"1000000"}, Production: []string{"1000000"}},
			"a 1000000 of production 1000000 (claimed, not shown)"},
		{list("2.1"), list("2.1", "2.10"), nil,
			AxisScope{State: ScopeClaimed, Covered: []string{"2.1"}, Production: []string{"2.1", "2.10"}, Missing: []string{"2.10"}, Gap: 0.5},
			"a 2.1 of production 2.1 2.10 (claimed, not shown)"},
		{list("2.1"), list("2.1", "2.10"), []string{"2.10", "2.100"},
			AxisScope{State: ScopeShown, Covered: []string{"2.10", "2.100"}, Production: []string{"2.1", "2.10"}, Missing: []string{"2.1"}, Unshown: []string{"2.1"}, Gap: 0.5},
			"a 2.10 2.100 of production 2.1 2.10"},
		{list("1e3"), list(int64(1000)), nil,
			AxisScope{State: ScopeClaimed, Covered: []string{"1e3"}, Production: []string{"1000"}, Missing: []string{"1000"}, Gap: 1},
			"a 1e3 of production 1000 (claimed, not shown)"},
		{list(int64(9007199254740993788)), list(int64(9007199254740993789)), []string{"+9007199254740993788"},
			AxisScope{State: ScopeShown, Covered: []string{"9007199254740993788"}, Production: []string{"9007199254740993789"}, Missing: []string{"9007199254740993789"}, Gap: 1},
			"a 9007199254740993788 of production 9007199254740993789"},
	} {
		c.want.Axis = "a"
		axis := config.Axis{Covered: c.covered, Production: c.production}
		var printed []spot
		for _, text := range c.printed {
			printed = append(printed, readAmong(text, quoted(axis)))
		}
		got := axisScope("a", axis, tidy(printed))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		if got.String() != c.text {
			t.Errorf("%q, want %q", got.String(), c.text)
		}
	}
	a := axisScope("a", config.Axis{Shown: true, Production: list(int64(1), int64(32))}, spotsOf([]string{"1"}))
	a.Elsewhere = []Cover{{"32", "far", "r", Green}}
	if a.measure(); a.Gap != 0 || a.Ratio != 0 || len(a.Left()) != 0 {
		t.Errorf("closed elsewhere: %+v", a)
	}
}

// FuzzShown: whatever a line holds, places are kept once, within their bounds, and
// read again as the same.
func FuzzShown(f *testing.F) {
	for _, s := range []string{"gpuci:scope chunks=4", "x gpuci:scope chunks=1e3 b=\"a b\" gpuci:scope chunks=0x10", "gpuci:scope a=+04 b=-0 c=1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s := newShown(gateWith("chunks"))
		s.line([]byte(line))
		s.line([]byte(line))
		total := 0
		for axis := range s.spots {
			seen := make(map[string]bool)
			for _, sp := range s.of(axis) {
				total++
				if again := readSpot(sp.text); again.text != sp.text || seen[sp.text] || len(sp.text) > 2*maxSpot {
					t.Fatalf("%q is read as %q", sp.text, again.text)
				}
				seen[sp.text] = true
			}
		}
		if total != s.total {
			t.Fatalf("%d places, counted %d", total, s.total)
		}
	})
}
