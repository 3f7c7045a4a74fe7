package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/ab/judge"
)

// abLine is a comparison in JSON.
type abLine struct {
	Type string `json:"type"` // always "comparison"
	*ab.Report
}

// printAB writes what came of a comparison to stdout.
func (a *app) printAB(r *ab.Report, json bool) error {
	if json {
		return a.jsonLine(abLine{"comparison", r})
	}
	_, err := io.WriteString(a.out, abText(r))
	return err
}

// abText is a comparison for people.
func abText(r *ab.Report) string {
	var b strings.Builder
	row := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", key, printable(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", `\n`)))
	}
	fmt.Fprintf(&b, "%s: %s in %s (%s)\n", printable(abHead(r)), printable(r.Gate), buildlock.Round(seconds(r.Seconds)), printable(r.ID))
	if r.End.State != ab.Answered && r.End.Why != "" {
		row("because", "%s", r.End.Why)
	}
	for _, arm := range r.Arms {
		at := ""
		if arm.At != "" {
			at = fmt.Sprintf(", at %.10s", arm.At)
			if arm.Own {
				at += " with uncommitted changes"
			}
		}
		row("arm", "%s = %s%s", arm.Name, arm.Spec, at)
	}
	for _, one := range append([]*ab.Report{r}, r.Each...) {
		if one != r {
			row(one.Arms[1].Name, "%s, beside %s", one.Judged.Verdict, one.Arms[0].Name)
		}
		for _, x := range one.Judged.Answers {
			abAnswer(row, one, x)
		}
		if one != r {
			abMarks(row, slices.DeleteFunc(slices.Clone(one.Marks), func(m string) bool { return slices.Contains(r.Marks, m) }))
			abNext(row, one.Next)
		}
	}
	if n := total(r.Thrown); n > 0 {
		row("thrown", "%d out: %s", n, thrownText(r.Thrown))
	}
	abMarks(row, r.Marks)
	abNext(row, r.Next)
	return b.String()
}

func abMarks(row func(key, format string, args ...any), marks []string) {
	for _, m := range marks {
		row("mark", "%s", m)
	}
}

func abNext(row func(key, format string, args ...any), next []string) {
	for _, n := range next {
		row("next", "%s", n)
	}
}

// abHead is what a comparison came to, and how.
func abHead(r *ab.Report) string {
	switch r.End.State {
	case ab.Answered:
		if len(r.Each) > 0 {
			return "each beside " + r.Arms[0].Name
		}
		return string(r.Judged.Verdict)
	case ab.Owing:
		return string(gates.Refused)
	case ab.Failed:
		return "no comparison"
	case ab.Stopped:
		return "stopped"
	}
	return "not ended"
}

// abAnswer writes what is said of one metric.
func abAnswer(row func(key, format string, args ...any), r *ab.Report, x judge.Answer) {
	key := "time"
	if x.Metric.Quality {
		key = "quality"
	}
	base, arm := r.Arms[0].Name, r.Arms[1].Name
	row(key, "%s: %s: %s", x.Metric.Name, x.Verdict, x.Why)
	if x.Pairs == 0 {
		return
	}
	values := fmt.Sprintf("%s %s, %s %s", base, abValue(x.Control.Median, x.Metric.Unit), arm, abValue(x.Arm.Median, x.Metric.Unit))
	if x.Rounds == 0 || x.Ratio == 0 {
		row("", "%s; %s", values, abSamples(x))
		return
	}
	row("", "%s: %s [%s, %s]; %s", values, abChange(x.Ratio-1), abChange(x.Interval.Low), abChange(x.Interval.High), abSamples(x))
	row("", "the base from itself %s (A/A %s); the smallest that could be seen %s", abShare(x.Floor), abChange(x.Twin-1), abShare(x.Visible))
	for _, n := range x.Notes {
		row("", "%s", n)
	}
}

func abSamples(x judge.Answer) string {
	text := fmt.Sprintf("%d and %d samples", x.Control.Samples, x.Arm.Samples)
	if x.Left > 0 {
		text += fmt.Sprintf(", %d left out of rounds that are not complete", x.Left)
	}
	return text
}

// abChange is a difference as a share, with its sign.
func abChange(d float64) string {
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", 100*d)
}

func abShare(d float64) string {
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return "?"
	}
	return fmt.Sprintf("%.2f%%", 100*d)
}

func abValue(v float64, unit string) string {
	text := strconv.FormatFloat(v, 'g', 5, 64)
	if unit != "" {
		text += " " + unit
	}
	return text
}

// thrownText names counts: "contended 2, stalled 1".
func thrownText(m map[string]int) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", key, m[key]))
	}
	return strings.Join(parts, ", ")
}

func total(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}
