package reader

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCounters(t *testing.T) {
	for line, want := range map[string][]Number{
		"fused kda=12/16 node_bwd=4 declined=0": {{"kda", "12", "16"}, {"node_bwd", "4", ""}, {"declined", "0", ""}},
		"a=-3\tb=+.5  c=6.3e-7 d=5.":            {{"a", "-3", ""}, {"b", "+.5", ""}, {"c", "6.3e-7", ""}, {"d", "5", ""}},
		"(a=1, b=2; [c=3])":                     {{"a", "1", ""}, {"b", "2", ""}, {"c", "3", ""}},
		"launches 12/16 fused":                  {{"launches", "12", "16"}},
		"launches: 12/16, declined: 0/16.":      {{"launches", "12", "16"}, {"declined", "0", "16"}},
		"kda.bwd-2=7":                           {{"kda.bwd-2", "7", ""}},
		"loss=nan grad=-Inf":                    {{"loss", "nan", ""}, {"grad", "-Inf", ""}},
		"a=1 a=2":                               {{"a", "1", ""}, {"a", "2", ""}},
		"x=" + strings.Repeat("9", maxValue+1):  nil,
		strings.Repeat("k", maxKey+1) + "=1":    nil,
		"12/16 at the start":                    nil,
		"7 8/9":                                 nil,
		"took=3ms":                              nil,
		"took=3 ms":                             {{"took", "3", ""}},
		"done=40%":                              nil,
		`a="3" b='4'`:                           nil,
		"a=b=3 a==3 =3 a= a=/3 a=3/":            nil,
		"at src/x.rs and 3/x and x/3":           nil,
		"on 2026/11/29 day=2026-11-29":          nil,
		"version=1.2.3 v=1_000 n=1,234 h=0x10":  nil,
		"clock=4:05 range=1-5 e=1e e2=e3":       nil,
		"2a=3 -a=3 ä=3":                         nil,
		"RUSTFLAGS=-Copt-level=3 --jobs=4":      nil,
		"  = / =":                               nil,
		"":                                      nil,
	} {
		if diff := cmp.Diff(want, Counters([]byte(line))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
	if n := len(Counters([]byte(strings.Repeat("a=1 ", 1<<16)))); n != maxNumbers {
		t.Errorf("a line of 65536 numbers gave %d, want %d", n, maxNumbers)
	}
}

// FuzzCounters: what is given stands in the line and is a number for strconv.
func FuzzCounters(f *testing.F) {
	for _, s := range []string{"fused kda=12/16 node_bwd=4", "a 3/4", "x=nan", "a=1e400", "(a=.5)", "a=b/c=3/4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, n := range Counters([]byte(line)) {
			text := n.Value
			if n.Of != "" {
				text += "/" + n.Of
			}
			if n.Key == "" || !strings.Contains(line, n.Key) || !strings.Contains(line, text) {
				t.Fatalf("%q gave %+v, which does not stand there", line, n)
			}
			for _, s := range []string{n.Value, n.Of} {
				if v, err := strconv.ParseFloat(s, 64); s != "" && err != nil && !math.IsInf(v, 0) {
					t.Fatalf("%q gave %+v: %v", line, n, err)
				}
			}
		}
	})
}

func TestCountersOfNoise(t *testing.T) {
	line := []byte("step 1200 loss 2.3481 mem 41.2GiB, nothing by name")
	if n := testing.AllocsPerRun(100, func() { Counters(line) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
