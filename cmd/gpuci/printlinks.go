package main

import (
	"strings"

	"gpuci/buildlock"
	"gpuci/gates"
)

// linkRows says what a gate waited for others and, with -v, what its links were
// like.
func linkRows(v gates.Verdict, o gateOptions, row func(key, text string)) {
	l := v.Links
	if l == nil {
		return
	}
	if text := waitedText(l, v.Held); text != "" {
		row("waited", text)
	}
	if o.verbose {
		row("links", l.Text+stallText(v.Stall))
	}
}

// waitedText says what a gate waited for others, from a second on.
func waitedText(l *gates.LinkSum, held float64) string {
	const told = 1 // second
	if l.Queued+l.Lock+held < told {
		return ""
	}
	var parts []string
	if held >= told {
		parts = append(parts, buildlock.Round(seconds(held)).String()+" for the machine to breathe")
	}
	if l.Lock > 0 {
		parts = append(parts, buildlock.Round(seconds(l.Lock)).String()+" for the build lock")
	}
	if l.Queued > 0 {
		parts = append(parts, buildlock.Round(seconds(l.Queued)).String()+" for the links of others")
	}
	return strings.Join(parts, " and ") + ", which is in none of its time limits"
}
