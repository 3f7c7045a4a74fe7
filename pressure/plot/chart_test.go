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
			{Phase, "pressure", after(0), after(2)}, {Phase, "build", after(2), after(9)}, {Phase, "run", after(9), after(12)},
			{Wait, "attn", after(2), after(2.5)}, {Wait, "ops", after(2.1), after(5)},
			{Link, "attn", after(2.5), after(5)}, {Link, "ops", after(5), after(8.5)},
			{Hold, "io full 93 %", after(0), after(2)},
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
	c.Bars = append(c.Bars, Bar{Link, "b", after(3), after(8)}, Bar{Link, "a", after(3), after(8)}, Bar{Wait, "c", after(3), after(8)})
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

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("the disk is full")

func TestDrawWriteError(t *testing.T) {
	if err := Draw(full{}, small()); !errors.Is(err, errFull) {
		t.Errorf("Draw = %v, want %v", err, errFull)
	}
}
