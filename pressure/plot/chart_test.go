package plot

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"gpuci/pressure"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is drawn into testdata")

// t0 is in a zone of its own, and no round second.
var t0 = time.Date(2026, 11, 30, 1, 2, 3, 347e6, time.FixedZone("EET", 2*3600))

func after(seconds float64) time.Time { return t0.Add(time.Duration(seconds * 1e9)) }

func known(v float64) pressure.Share { return pressure.Share{Value: v, Known: true} }

// point ends so many seconds after t0, is a second long and knows its io.
func point(seconds, full float64) pressure.Point {
	return pressure.Point{
		Time: after(seconds), Length: time.Second,
		IO: pressure.Shares{Some: known(full + 0.1), Full: known(full)},
	}
}

func small() Chart {
	c := Chart{
		Title: "gate fused-adjoint, lane kda & friends", Subtitle: "20261130T010203Z-1a2b3c4d · green · 12s",
		From: t0, To: after(12),
		Bars: []Bar{
			{Kind: Phase, Label: "pressure", From: after(0), To: after(2)}, {Kind: Phase, Label: "build", From: after(2), To: after(9)}, {Kind: Phase, Label: "run", From: after(9), To: after(12)},
			{Kind: Wait, Label: "attn", From: after(2), To: after(2.5)}, {Kind: Wait, Label: "ops", From: after(2.1), To: after(5)},
			{Kind: Link, Label: "attn", Detail: "ld.mold, pid 77 link-12", From: after(2.5), To: after(5)}, {Kind: Link, Label: "ops", From: after(5), To: after(8.5)},
			{Kind: Hold, Label: "io full 93 %", From: after(0), To: after(2)},
		},
	}
	for _, s := range []float64{1, 2, 3, 4, 7, 8, 9, 10, 11, 12} { // nothing is known from 4 to 6
		p := point(s, 0.85-s/20)
		p.CPU.Some, p.Memory.Full = known(0.25), known(0)
		if s > 2 {
			p.OwnIO.Full = known(0.5)
		}
		c.Points = append(c.Points, p)
	}
	return c
}

func draw(t testing.TB, c Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := Draw(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDrawGolden holds the whole drawing, which was looked at, against testdata.
func TestDrawGolden(t *testing.T) {
	const path = "testdata/small.svg"
	got := draw(t, small())
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("-want +got (go test -update writes it; look at it in a browser)\n%s", d)
	}
	check(t, got)
}

// brokenCharts are what a caller should not give and may.
func brokenCharts() map[string]Chart {
	nan, inf := known(math.NaN()), known(math.Inf(1))
	odd := point(3, 0.5)
	odd.IO, odd.CPU.Some = pressure.Shares{Some: known(-1), Full: nan}, inf
	backwards := small()
	backwards.From, backwards.To = backwards.To, backwards.From
	shuffled := small()
	shuffled.Points[0], shuffled.Points[7] = shuffled.Points[7], shuffled.Points[0]
	eternal := small()
	eternal.From, eternal.To = time.Unix(-1<<60, 0), time.Unix(1<<60, 0)
	unset := small()
	unset.From, unset.To = time.Time{}, time.Time{}
	open := small()
	for i := range open.Bars {
		open.Bars[i].To = time.Time{}
	}
	hostile := small()
	hostile.Title = "</title><script>alert(1)</script>\x00\xff\u202e" + strings.Repeat("W", 1<<16)
	hostile.Bars[1].Label = `"]]><!--&amp;` + "\n\u202egnp.exe"
	hostile.Bars[2].Kind, hostile.Bars[3].Kind = -1, 99
	return map[string]Chart{
		"zero": {}, "empty": {From: t0, To: after(12)}, "no points": {From: t0, To: after(12), Bars: small().Bars},
		"one point":     {From: t0, To: after(12), Points: pressure.Timeline{point(3, 0.5)}},
		"point alone":   {Points: pressure.Timeline{point(3, 0.5)}},
		"odd shares":    {From: t0, To: after(12), Points: pressure.Timeline{odd}},
		"no length":     {From: t0, To: after(12), Points: pressure.Timeline{{Time: after(1)}, {Time: after(2), Length: math.MinInt64}}},
		"endless point": {From: t0, To: after(12), Points: pressure.Timeline{{Time: after(1), Length: math.MaxInt64, IO: pressure.Shares{Full: known(1)}}}},
		"a moment":      {From: t0, To: t0.Add(1), Points: small().Points, Bars: small().Bars},
		"backwards":     backwards, "shuffled": shuffled, "eternal": eternal, "unset": unset, "open": open, "hostile": hostile,
	}
}

func TestDrawBroken(t *testing.T) {
	for name, c := range brokenCharts() {
		t.Run(name, func(t *testing.T) {
			got := draw(t, c)
			check(t, got)
			if again := draw(t, c); got != again {
				t.Error("the same chart was drawn in two ways")
			}
			if strings.Contains(got, "<script") || strings.Contains(got, "\u202e") {
				t.Error("a label got through as it was")
			}
		})
	}
}

// What is not known is said so, and no curve stands for it.
func TestDrawUnknown(t *testing.T) {
	for _, name := range []string{"zero", "empty", "no points", "no length", "odd shares"} {
		got := draw(t, brokenCharts()[name])
		for _, want := range []string{"io full: unknown", "own io full (unknown)", "nothing is known of the pressure", `class="un"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: lacks %q", name, want)
			}
		}
		if paths := curvePaths(t, got); len(paths) > 0 {
			t.Errorf("%s: has curves %v", name, paths)
		}
	}
}

// Neither points nor bars need an order.
func TestDrawAnyOrder(t *testing.T) {
	c := small()
	c.Bars = append(c.Bars, Bar{Kind: Link, Label: "b", From: after(3), To: after(8)}, Bar{Kind: Link, Label: "a", From: after(3), To: after(8)}, Bar{Kind: Wait, Label: "c", From: after(3), To: after(8)})
	want := draw(t, c)
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		r.Shuffle(len(c.Bars), func(i, j int) { c.Bars[i], c.Bars[j] = c.Bars[j], c.Bars[i] })
		r.Shuffle(len(c.Points), func(i, j int) { c.Points[i], c.Points[j] = c.Points[j], c.Points[i] })
		if d := cmp.Diff(want, draw(t, c)); d != "" {
			t.Fatalf("another order is drawn in another way:\n%s", d)
		}
	}
}

func TestDrawKeepsItsChart(t *testing.T) {
	c, same := small(), small()
	c.Points[0], c.Points[7] = c.Points[7], c.Points[0]
	same.Points[0], same.Points[7] = same.Points[7], same.Points[0]
	draw(t, c)
	if d := cmp.Diff(same, c); d != "" {
		t.Errorf("it was changed:\n%s", d)
	}
}

// A note and a detail are text as any other: escaped, cut to the page, and a
// detail only where one points.
func TestDrawNotes(t *testing.T) {
	c := small()
	c.Note = "unknown: <no cgroup> " + strings.Repeat("of its own ", 100)
	c.Bars = []Bar{{Kind: Link, Label: "cc -o p1", Detail: "ld.mold, pid 77 link-12", From: after(1), To: after(9)}}
	got := draw(t, c)
	check(t, got)
	for text, want := range map[string]int{
		"unknown: &lt;no cgroup&gt; of its own": 1, ">cc -o p1</text>": 1, "<title>cc -o p1 (ld.mold, pid 77 link-12): at work 8s": 1, "pid 77": 1,
	} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("%q is in it %d times, want %d", text, n, want)
		}
	}
}

// The zone of the clock is named, and one without a name by its offset.
func TestDrawZone(t *testing.T) {
	for _, z := range []struct {
		zone *time.Location
		want string
	}{{time.UTC, ">UTC</text>"}, {time.FixedZone("IST", 19800), ">IST</text>"}, {time.FixedZone("+0545", 20700), ">UTC+0545</text>"}} {
		c := small()
		c.From = c.From.In(z.zone)
		got := draw(t, c)
		check(t, got)
		if clock := ">" + c.From.Format("15:04:05") + "</text>"; !strings.Contains(got, z.want) || !strings.Contains(got, clock) {
			t.Errorf("no %q or no %q", z.want, clock)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("the disk is full")

func TestDrawWriteError(t *testing.T) {
	if err := Draw(full{}, small()); !errors.Is(err, errFull) {
		t.Errorf("Draw = %v, want %v", err, errFull)
	}
}
