package gates

import (
	"fmt"
	"strings"

	"gpuci/gates/metric"
)

// Text says in one line how the repeats went.
func (r *Repeat) Text() string {
	green := 0
	for _, x := range r.Runs {
		if x.Outcome == Green {
			green++
		}
	}
	text := fmt.Sprintf("%d of %s green", green, plural(r.Times, "run"))
	alike := r.alike()
	switch {
	case len(r.Runs) < r.Times:
		text += fmt.Sprintf(", %d not run", r.Times-len(r.Runs))
	case len(r.Unstable) > 0:
		text += ", unstable"
	case alike != "" && green > 0:
		text += ", alike in " + alike
	}
	if w := r.Widest; w != nil && len(r.Unstable) == 0 && w.Spread != nil {
		spread, most := percentTexts(*w.Spread, w.Limit)
		text += fmt.Sprintf("; %s%s spread %s of at most %s", w.Name, ofSeries(w.Labels), spread, most)
		if r.Spread > 1 {
			text += fmt.Sprintf(", the widest of %d values", r.Spread)
		}
	}
	return text
}

// alike says what must not differ at all.
func (r *Repeat) alike() string {
	var parts []string
	if n := r.Values - r.Spread; n > 0 {
		parts = append(parts, plural(n, "value"))
	}
	if r.Files > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s)", plural(r.Files, "file"), plural(int(r.Bytes), "byte")))
	}
	return strings.Join(parts, " and ")
}

func percentText(share float64) string { return metric.Times(100*share) + "%" }

// percentTexts are two shares that are held against each other.
func percentTexts(a, b float64) (one, other string) {
	n := metric.TimesBeside(100*a, 100*b)
	return n[0] + "%", n[1] + "%"
}
