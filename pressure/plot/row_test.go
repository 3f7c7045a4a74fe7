package plot

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// randomBars starts some bars together and some where another one ends.
func randomBars(r *rand.Rand, n int, longest float64) []Bar {
	var bars []Bar
	for i := range n {
		from := float64(r.IntN(600)) / 10
		if i > 0 && r.IntN(3) == 0 {
			from = bars[i-1].To.Sub(t0).Seconds()
		}
		bars = append(bars, Bar{Kind: Link, Label: fmt.Sprint(i), From: after(from), To: after(from + r.Float64()*longest)})
	}
	return bars
}

// atOnce is the highest number of bars that share a moment.
func atOnce(bars []Bar) int {
	most := 0
	for _, b := range bars {
		n := 0
		for _, other := range bars {
			if !other.From.After(b.From) && other.To.After(b.From) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Without a cap, the rows are as many as bars were at once, none of them lies
// on another, and none is lost.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		bars := randomBars(r, 1+r.IntN(60), 20)
		f := newFrame(Chart{From: t0, To: after(10000)})
		g := group{most: 1000}
		g.pack(placed(bars, f, Link))
		if got, want := len(g.rows), atOnce(bars); got != want {
			t.Fatalf("%d rows for %d at once", got, want)
		}
		n := 0
		for _, row := range g.rows {
			n += len(row)
			for i := range row[1:] {
				if row[i+1].from < row[i].to {
					t.Fatalf("%v lies on %v", row[i+1], row[i])
				}
			}
		}
		if n != len(bars) || g.over != 0 {
			t.Fatalf("%d of %d bars have a row", n, len(bars))
		}
	}
}

// Every bar is drawn, is in one that stands for several, or is counted in the
// note; what is drawn is wide enough and apart, in a long frame too.
func TestGroupsLoseNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	merged, over := 0, 0
	for range 200 {
		bars := randomBars(r, 1+r.IntN(200), 0.1+60*r.Float64())
		f := newFrame(Chart{From: after(10 * r.Float64()), To: after(50 + 3000*r.Float64())})
		g := newGroups(bars, f)[0]
		n := g.over + g.outside
		for _, row := range g.rows {
			end := float64(plotLeft)
			for _, b := range row {
				n += 1 + b.more
				merged += b.more
				if b.from < end || b.to-b.from < narrowest-1e-9 || b.to > plotRight {
					t.Fatalf("a bar from %v to %v, where the one before ends at %v", b.from, b.to, end)
				}
				end = b.to
			}
		}
		over += g.over
		if n != len(bars) || g.count != n || len(g.rows) > g.most {
			t.Fatalf("of %d bars %d are drawn or counted, in %d rows", len(bars), n, len(g.rows))
		}
	}
	if merged == 0 || over == 0 {
		t.Errorf("%d bars were merged and %d left over: the test tried too little", merged, over)
	}
}

func TestMerge(t *testing.T) {
	at := func(from, to float64) bar { return bar{from: plotLeft + from, to: plotLeft + to} }
	many := func(from, to float64, more int) bar { b := at(from, to); b.more = more; return b }
	for _, test := range []struct {
		name      string
		row, want []bar
	}{
		{"next to each other", []bar{at(0, 10), at(10, 20)}, []bar{at(0, 10), at(10, 20)}},
		{"a short one", []bar{at(5, 5)}, []bar{at(5, 8)}},
		{"short ones in a row", []bar{at(5, 5.1), at(5.5, 6), at(6.5, 7)}, []bar{many(5, 9.5, 2)}},
		{"short, then long", []bar{at(0, 0.2), at(0.2, 50)}, []bar{at(0, 3), at(3, 50)}},
		{"long, then short at the end", []bar{at(0, 831.5), at(831.5, 832)}, []bar{at(0, 829), at(829, 832)}},
	} {
		if d := cmp.Diff(test.want, merge(test.row), cmp.AllowUnexported(bar{}), cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); d != "" {
			t.Errorf("%s: -want +got\n%s", test.name, d)
		}
	}
}

func TestPlaced(t *testing.T) {
	f := newFrame(Chart{From: t0, To: after(10)})
	for _, test := range []struct {
		name     string
		bar      Bar
		from, to float64 // share of the frame; no place where from is -1
	}{
		{"inside", Bar{From: after(1), To: after(2)}, 0.1, 0.2},
		{"over both edges", Bar{From: after(-1), To: after(20)}, 0, 1},
		{"not ended", Bar{From: after(5)}, 0.5, 1},
		{"start unknown", Bar{To: after(5)}, 0, 0.5},
		{"ends before it starts", Bar{From: after(5), To: after(4)}, 0.5, 0.5},
		{"before", Bar{From: after(-5), To: after(-1)}, -1, 0},
		{"after", Bar{From: after(11), To: after(12)}, -1, 0},
		{"not ended, after", Bar{From: after(11), To: time.Time{}}, -1, 0},
	} {
		got := placed([]Bar{test.bar}, f, Phase)
		if test.from < 0 {
			if len(got) != 0 {
				t.Errorf("%s: is drawn as %v", test.name, got)
			}
			continue
		}
		if len(got) != 1 || num(got[0].from) != num(plotLeft+plotWidth*test.from) || num(got[0].to) != num(plotLeft+plotWidth*test.to) {
			t.Errorf("%s: is drawn as %v", test.name, got)
		}
	}
}

// More waits than there are rows for are counted in words.
func TestDrawMore(t *testing.T) {
	c := Chart{From: t0, To: after(60), Bars: []Bar{{Kind: Wait, Label: "gone", From: after(-9), To: after(-8)}}}
	for i := range 154 {
		c.Bars = append(c.Bars, Bar{Kind: Wait, Label: fmt.Sprint(i), From: after(float64(i) / 10), To: after(50)})
	}
	got := draw(t, c)
	check(t, got)
	for _, want := range []string{"and 130 more, and 1 outside this time", "in line 155"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
}
