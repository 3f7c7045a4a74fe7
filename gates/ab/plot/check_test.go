package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gpuci/gates/ab/judge"
)

// drawn is an SVG of a chart that was read again: its texts, and how many elements
// of each class it has.
type drawn struct {
	texts   string
	classes map[string]int
	paths   map[string]string // the last of each class
}

var inPath = regexp.MustCompile(`^[MmlhvHVZ0-9. -]*$`)

// svg draws a chart and holds it to what any drawing must be: well-formed, with
// numbers on the page, a title and a description.
func svg(t testing.TB, c Chart) drawn {
	t.Helper()
	var text strings.Builder
	if err := SVG(&text, c); err != nil {
		t.Fatal(err)
	}
	d := drawn{classes: map[string]int{}, paths: map[string]string{}}
	names := map[string]int{}
	dec := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("it is not well-formed: %v\n%s", err, text.String())
		}
		switch token := token.(type) {
		case xml.CharData:
			d.texts += string(token) + "\n"
		case xml.StartElement:
			names[token.Name.Local]++
			d.element(t, token)
		}
	}
	if names["svg"] != 1 || names["title"] < 1 || names["desc"] != 1 || names["script"]+names["image"] != 0 {
		t.Fatalf("it has %v", names)
	}
	return d
}

func (d *drawn) element(t testing.TB, e xml.StartElement) {
	t.Helper()
	attr := map[string]string{}
	for _, a := range e.Attr {
		attr[a.Name.Local] = a.Value
	}
	class, _, _ := strings.Cut(attr["class"], " ")
	d.classes[class]++
	for name, most := range map[string]float64{"x": pageWide, "width": pageWide, "y": 4000, "height": 4000} {
		if text, ok := attr[name]; ok {
			if v, err := strconv.ParseFloat(text, 64); err != nil || !(v >= 0 && v <= most) {
				t.Fatalf("<%s> has %s=%q", e.Name.Local, name, text)
			}
		}
	}
	if path := attr["d"]; path != "" {
		if !inPath.MatchString(path) {
			t.Fatalf("a path is %q", path)
		}
		d.paths[class] = path
	}
}

// terminal draws a chart in text and holds each line to its width.
func terminal(t testing.TB, c Chart, width int, colour bool) string {
	t.Helper()
	var text strings.Builder
	if err := Terminal(&text, c, width, colour); err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(text.String(), "")
	for line := range strings.Lines(plain) {
		if n := cells(strings.TrimSuffix(line, "\n")); n > max(width, narrowest) {
			t.Fatalf("of %d cells a line has %d: %q", width, n, line)
		}
	}
	if !colour && plain != text.String() {
		t.Fatal("it is in colour")
	}
	return plain
}

// TestSVG: the arms differ in their marks, each run is there once, and what is beyond
// the picture or thrown out is counted.
func TestSVG(t *testing.T) {
	c := taken(t, 30)
	d := svg(t, c)
	if got := strings.Count(d.paths["ctl"], "M"); got != 1 { // the last: the control beside itself
		t.Errorf("the control's centre has %d marks", got)
	}
	for _, want := range []string{"fused against main: worse", c.Answer.Why, "60 runs of main, 60 of fused, 11 thrown out", "11 above the picture",
		"main again", "the floor", "median 1.3", "0s", "2m50s"} {
		if !strings.Contains(d.texts, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if d.classes["out"] != 12 || d.classes["floor"] != 1 || d.classes["ctlf"] != 1 || d.classes["armf"] != 1 {
		t.Errorf("it has %v", d.classes)
	}
	var first, second strings.Builder
	for _, w := range []*strings.Builder{&first, &second} {
		if err := SVG(w, taken(t, 30)); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("the same chart is drawn in two ways")
	}
	if got := strings.Count(first.String(), "h0M") + strings.Count(first.String(), "h0\""); got < 60 {
		t.Errorf("of 60 runs of the control %d are drawn", got)
	}
}

// TestTerminal: as the SVG, in text, and as wide as is asked for.
func TestTerminal(t *testing.T) {
	c := taken(t, 30)
	text := terminal(t, c, 100, false)
	for _, want := range []string{"fused against main: worse", "11 thrown out", "· main   x fused", "! thrown out", "median 1.3", "░ the floor", "●"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "x"); n < 40 {
		t.Errorf("%d crosses", n)
	}
	if coloured := terminal(t, c, 100, true); coloured != text {
		t.Error("in colour it says something else")
	}
	for _, width := range []int{-1, 0, 40, 57, 250} {
		terminal(t, c, width, false)
	}
}

// TestOdd: charts of little or of nonsense.
func TestOdd(t *testing.T) {
	whole := taken(t, 30)
	flat := taken(t, 12)
	for i := range flat.Session.Samples {
		flat.Session.Samples[i].Values = map[string]float64{"time": 3}
	}
	untimed := taken(t, 12)
	for i := range untimed.Session.Samples {
		untimed.Session.Samples[i].At = judge.Sample{}.At
	}
	for name, c := range map[string]Chart{
		"nothing":  {},
		"no runs":  {Session: judge.Session{Plan: whole.Session.Plan}, Answer: whole.Answer},
		"too few":  taken(t, 1),
		"flat":     flat,
		"no times": untimed,
		"no look":  {Session: whole.Session, Answer: judge.Answer{Metric: whole.Answer.Metric}},
		"names":    {Title: "a\x00b<c>&\"\u202e\n" + strings.Repeat("宽", 400), Session: whole.Session, Answer: whole.Answer},
	} {
		t.Run(name, func(t *testing.T) {
			svg(t, c)
			terminal(t, c, 80, false)
		})
	}
	if text := terminal(t, untimed, 80, false); !strings.Contains(text, "run 1 to run 48") {
		t.Errorf("without times:\n%s", text)
	}
}

// FuzzChart: any numbers give a drawing.
func FuzzChart(f *testing.F) {
	f.Add(1.0, 2.0, 0.5, 0.1, "a", uint16(80))
	f.Add(0.0, -1.0, 1e308, -1e308, "\xff", uint16(0))
	f.Fuzz(func(t *testing.T, a, b, low, floor float64, name string, width uint16) {
		c := taken(t, 3)
		c.Session.Plan.Arm = name
		c.Session.Samples[0].Values = map[string]float64{"time": a}
		c.Session.Samples[1].Values = map[string]float64{"time": b}
		c.Answer.Look, c.Answer.Ratio, c.Answer.Interval.Low, c.Answer.Floor = 1, a, low, floor
		svg(t, c)
		terminal(t, c, int(width%300), false)
	})
}
