package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// channels are red, green and blue, 0 to 255.
func channels(t *testing.T, colour string) [3]float64 {
	t.Helper()
	var c [3]float64
	for i := range c {
		v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil || len(colour) != 7 {
			t.Fatalf("%q is no colour", colour)
		}
		c[i] = float64(v)
	}
	return c
}

// contrast is that of WCAG 2.1, 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	luminance := func(colour string) float64 {
		var l float64
		for i, v := range channels(t, colour) {
			if v /= 255; v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			l += v * [3]float64{0.2126, 0.7152, 0.0722}[i]
		}
		return l
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// over is a colour that covers another one in part.
func over(t *testing.T, colour, under string, opacity float64) string {
	c, u := channels(t, colour), channels(t, under)
	text := "#"
	for i := range c {
		text += fmt.Sprintf("%02x", int(math.Round(c[i]*opacity+u[i]*(1-opacity))))
	}
	return text
}

func TestContrast(t *testing.T) {
	if got := contrast(t, "#000000", "#ffffff"); math.Abs(got-21) > 1e-9 {
		t.Fatalf("black on white has a contrast of %v, not 21", got)
	}
	for name, c := range map[string]theme{"light": light(), "dark": dark()} {
		filled := over(t, c.IO, c.Page, 0.28)
		for _, test := range []struct {
			what, front, back string
			least             float64
		}{
			{"text", c.Text, c.Page, 4.5}, {"muted text", c.Muted, c.Page, 4.5},
			{"text on the grid", c.Text, c.Grid, 4.5}, {"text on what is unknown", c.Text, c.Unknown, 4.5},
			{"a phase's label", c.Text, c.Phase, 4.5}, {"a link's label", c.LinkText, c.Link, 4.5},
			{"a wait's label", c.Text, c.Wait, 4.5},
			{"a hold's label", c.Text, c.Hold, 4.5}, {"a hold's label on its hatch", c.Text, c.HoldHatch, 4.5},
			{"phases in one", c.Text, over(t, c.Text, c.Phase, 0.2), 4.5},
			{"links in one", c.LinkText, over(t, c.Text, c.Link, 0.2), 4.5},
			{"waits in one", c.Text, over(t, c.Text, c.Wait, 0.2), 4.5},
			{"holds in one", c.Text, over(t, c.Text, c.HoldHatch, 0.2), 4.5},
			{"the curve of io", c.IO, c.Page, 3}, {"that of cpu", c.CPU, c.Page, 3}, {"that of memory", c.Memory, c.Page, 3},
			{"cpu on filled", c.CPU, filled, 3}, {"memory on filled", c.Memory, filled, 3}, {"own io on filled", c.Text, filled, 3},
		} {
			if got := contrast(t, test.front, test.back); got < test.least {
				t.Errorf("%s: %s, %s on %s, has %.2f, want %v", name, test.what, test.front, test.back, got, test.least)
			}
		}
	}
}

func TestCSSIsWhole(t *testing.T) {
	for _, want := range []string{"fill-opacity:.28", "fill-opacity:.2;"} { // what TestContrast goes by
		if !strings.Contains(shape, want) {
			t.Errorf("the style lacks %q", want)
		}
	}
	for _, c := range []theme{light(), dark()} {
		if css := c.css(); strings.Contains(css, "@") {
			t.Errorf("a colour is missing in %s", css)
		}
	}
	a, b := light(), dark()
	if strings.Count(a.css(), "#") != strings.Count(b.css(), "#") {
		t.Error("one theme has more colours than the other")
	}
}
