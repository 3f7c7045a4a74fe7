package plot

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gpuci/pressure"

	"github.com/google/go-cmp/cmp"
)

// Ten hours of points, some of them unknown, make short paths that have every
// peak: over any moment the curve is at least as high as the point was, and it
// is nowhere higher than the points a bucket away.
func TestThin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := Chart{From: t0, To: after(36000)}
	for s := 1.0; s <= 36000; s++ {
		p := point(s, r.Float64()*r.Float64())
		p.IO.Full.Known = int(s)%5000 > 400
		c.Points = append(c.Points, p)
	}
	ls := levelsOf(newSteps(c.Points, newFrame(c)), allSeries()[0].share)
	thinned := thin(ls)
	if len(thinned) > buckets {
		t.Fatalf("%d levels are left", len(thinned))
	}
	tried := 0
	for _, l := range thinned {
		highest, touched := 0.0, false
		for _, old := range ls {
			if old.to > l.from+1e-5 && old.from < l.to-1e-5 {
				highest, touched = max(highest, old.value), true
				tried++
			}
		}
		if !touched || highest != l.value {
			t.Fatalf("the bucket from %v has %v; %v was the highest in it, %v", l.from, l.value, highest, touched)
		}
	}
	if tried < len(ls) {
		t.Errorf("%d of %d levels are in a bucket", tried, len(ls))
	}
	got := draw(t, c)
	check(t, got)
	total := map[bool]int{}
	for _, d := range curvePaths(t, got) {
		total[strings.HasSuffix(d, "Z")] += corners(d)
	}
	if total[true] == 0 || total[true] > 1500 || total[false] > 2*1500 { // the lines of io full and io some
		t.Errorf("the area has %d corners and the lines have %d", total[true], total[false])
	}
}

// The most corners: every second point is unknown.
func TestThinWorstCase(t *testing.T) {
	for _, n := range []int{buckets / 2, buckets, buckets + 1, 2 * buckets, 3 * buckets} {
		c := Chart{From: t0, To: after(float64(n))}
		for s := range n {
			p := point(float64(s+1), 0.1+0.8*float64(s%7)/7)
			p.IO = pressure.Shares{Full: pressure.Share{Value: p.IO.Full.Value, Known: s%2 == 0}}
			c.Points = append(c.Points, p)
		}
		area := 0
		for _, d := range curvePaths(t, draw(t, c)) {
			if strings.HasSuffix(d, "Z") {
				area += corners(d)
			}
		}
		if area == 0 || area > 1500 {
			t.Errorf("%d points make %d corners", n, area)
		}
	}
}

func TestNewSteps(t *testing.T) {
	f := newFrame(Chart{From: t0, To: after(10)})
	brief := point(4, 0)
	brief.Length = 0
	for _, test := range []struct {
		name   string
		points pressure.Timeline
		want   [][2]float64 // in seconds
	}{
		{"none", nil, nil},
		{"in a row", pressure.Timeline{point(1, 0), point(2, 0)}, [][2]float64{{0, 1}, {1, 2}}},
		{"out of order", pressure.Timeline{point(2, 0), point(1, 0)}, [][2]float64{{0, 1}, {1, 2}}},
		{"a gap", pressure.Timeline{point(1, 0), point(5, 0)}, [][2]float64{{0, 1}, {4, 5}}},
		{"over each other", pressure.Timeline{point(2, 0), point(2.5, 0)}, [][2]float64{{1, 2}, {2, 2.5}}},
		{"twice", pressure.Timeline{point(2, 0), point(2, 0)}, [][2]float64{{1, 2}}},
		{"over the edges", pressure.Timeline{point(0.5, 0), point(10.5, 0)}, [][2]float64{{0, 0.5}, {9.5, 10}}},
		{"outside", pressure.Timeline{point(0, 0), point(12, 0)}, nil},
		{"without a length", pressure.Timeline{brief}, nil},
	} {
		var got, want [][2]string
		for _, s := range newSteps(test.points, f) {
			got = append(got, [2]string{num(s.from), num(s.to)})
		}
		for _, w := range test.want {
			want = append(want, [2]string{num(plotLeft + plotWidth*w[0]/10), num(plotLeft + plotWidth*w[1]/10)})
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", test.name, d)
		}
	}
}

// A curve is not drawn across a gap, and the gap is said to be unknown.
func TestDrawGap(t *testing.T) {
	got := draw(t, Chart{From: t0, To: after(10), Points: pressure.Timeline{point(1, 0.5), point(2, 0.5), point(9, 0.25), point(10, 0.25)}})
	var lines []string
	for _, e := range elements(t, got) {
		if e.attr["class"] == "iof" && !strings.Contains(e.attr["d"], "h26") {
			lines = append(lines, strings.Fields(e.attr["d"])[0])
		}
	}
	if d := cmp.Diff([]string{"M96", "M761.6"}, lines); d != "" {
		t.Errorf("the lines start elsewhere: -want +got\n%s", d)
	}
	if want := "unknown for 6s from 01:02:05"; !strings.Contains(got, want) {
		t.Errorf("it lacks %q", want)
	}
}

// A timeline's lengths are rounded where they are written; that is no gap.
func TestRunsAcrossRounding(t *testing.T) {
	f := newFrame(Chart{From: t0, To: after(10)})
	rounded, late := point(2, 0), point(3, 0)
	rounded.Length -= 40 * time.Microsecond
	late.Length /= 2
	ls := levelsOf(newSteps(pressure.Timeline{point(1, 0), rounded, late}, f), allSeries()[0].share)
	if got := runs(ls); len(got) != 2 || len(got[0]) != 2 {
		t.Errorf("the runs are %v, want two levels and one", got)
	}
}

// A second of ten hours can be seen, at the end too.
func TestVisible(t *testing.T) {
	f := newFrame(Chart{From: t0, To: after(36000)})
	for seconds, want := range map[float64]string{1: "M96 66H97", 18000: "M512 66H513", 36000: "M927 66H928"} {
		ls := levelsOf(newSteps(pressure.Timeline{point(seconds, 0.2)}, f), allSeries()[0].share)
		if got := line(visible(ls), 110); got != want {
			t.Errorf("at %v s: %s, want %s", seconds, got, want)
		}
	}
}
