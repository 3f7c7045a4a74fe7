package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// element is an element of a drawing, with the text in it but no elements.
type element struct {
	name string
	attr map[string]string
	text string
}

// elements parses a drawing, which must be well-formed.
func elements(t testing.TB, svg string) []element {
	t.Helper()
	var found []element
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("it is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			if n := len(found) - 1; n >= 0 && found[n].text == "" {
				found[n].text = string(token)
			}
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				if _, twice := e.attr[a.Name.Local]; twice {
					t.Errorf("<%s> has %s twice", e.name, a.Name.Local)
				}
				e.attr[a.Name.Local] = a.Value
			}
			found = append(found, e)
		}
	}
	if len(found) < 20 || found[0].name != "svg" {
		t.Fatalf("it has %d elements, and is no drawing", len(found))
	}
	return found
}

var (
	isNumber = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9])?$`)
	inPath   = regexp.MustCompile(`[MHV ]([^MHVZ ]+)`)
	barClass = map[string]bool{"ph": true, "li": true, "wa": true, "ho": true, "many": true, "un": true}
	curve    = map[string]bool{"fill": true, "iof": true, "ios": true, "cpu": true, "mem": true, "own": true}
)

// number is an attribute that must be a plain number: finite, not negative.
func number(t testing.TB, e element, name string) float64 {
	t.Helper()
	if !isNumber.MatchString(e.attr[name]) {
		t.Fatalf("<%s> has %s=%q", e.name, name, e.attr[name])
	}
	v, err := strconv.ParseFloat(e.attr[name], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// check holds a drawing to what doc.go promises of any.
func check(t testing.TB, svg string) {
	t.Helper()
	all := elements(t, svg)
	high := number(t, all[0], "height")
	if high > 2000 {
		t.Errorf("it is %v pixels high", high)
	}
	bars := 0
	for _, e := range all {
		switch {
		case e.name == "rect" && barClass[e.attr["class"]]:
			bars++
			x, y := number(t, e, "x"), number(t, e, "y")
			if wide := number(t, e, "width"); x < plotLeft || wide <= 0 || x+wide > plotRight+0.2 {
				t.Errorf("a bar is from %v, %v wide: outside the frame", x, wide)
			}
			if y+number(t, e, "height") > high {
				t.Errorf("a bar at %v is below the page", y)
			}
		case e.name == "text":
			if y := number(t, e, "y"); y > high {
				t.Errorf("a text is at %v: below the page", y)
			}
			checkText(t, e)
		case e.name == "circle":
			number(t, e, "cx")
			number(t, e, "cy")
		}
	}
	for _, d := range curvePaths(t, svg) {
		checkPath(t, d, high)
	}
}

// checkText holds a text to the page's width, by what its font needs at most.
func checkText(t testing.TB, e element) {
	t.Helper()
	classes := strings.Fields(e.attr["class"])
	cell := map[string]float64{"t": cellTitle, "b": cellBody, "m": cellText, "s": cellSmall, "in": cellBar}[classes[0]]
	if cell == 0 {
		t.Errorf("text %q is of no known size", e.text)
	}
	wide := cell * float64(utf8.RuneCountInString(e.text))
	from := number(t, e, "x")
	switch classes[len(classes)-1] {
	case "mid":
		from -= wide / 2
	case "end":
		from -= wide
	}
	if from < 0 || from+wide > pageWidth {
		t.Errorf("text %q is from %v to %v: cut by the page", e.text, from, from+wide)
	}
}

// curvePaths are the paths of the curves, without the samples of the legend.
func curvePaths(t testing.TB, svg string) []string {
	t.Helper()
	var paths []string
	for _, e := range elements(t, svg) {
		if d := e.attr["d"]; e.name == "path" && curve[e.attr["class"]] && !strings.Contains(d, "h26") {
			paths = append(paths, d)
		}
	}
	return paths
}

func checkPath(t testing.TB, d string, high float64) {
	t.Helper()
	numbers := inPath.FindAllStringSubmatch(d, -1)
	if len(numbers) < 3 {
		t.Errorf("path %q goes nowhere", d)
	}
	for _, n := range numbers {
		v, err := strconv.ParseFloat(n[1], 64)
		if !isNumber.MatchString(n[1]) || err != nil || v > max(high, plotRight) {
			t.Fatalf("path %q has %q", d, n[1])
		}
	}
}

// corners is how many points a path has.
func corners(d string) int {
	return strings.Count(d, "M") + strings.Count(d, "H") + strings.Count(d, "V")
}
