package main

import (
	"strings"

	"gpuci/buildlock"
	"gpuci/gates"
)

// linkRows says what a gate waited for others and, with -v, what its links were
// like.
func linkRows(l *gates.LinkSum, o gateOptions, row func(key, text string)) {
	if l == nil {
		return
	}
	if text := waitedText(l); text != "" {
		row("waited", text)
	}
	if o.verbose {
		row("links", l.Text+o.stall)
	}
}

// waitedText says what a gate waited for others, from a second on.
func waitedText(l *gates.LinkSum) string {
	const told = 1 // second
	if l.Queued+l.Lock < told {
		return ""
	}
	var parts []string
	if l.Lock > 0 {
		parts = append(parts, buildlock.Round(seconds(l.Lock)).String()+" for the build lock")
	}
	if l.Queued > 0 {
		parts = append(parts, buildlock.Round(seconds(l.Queued)).String()+" for the links of others")
	}
	return strings.Join(parts, " and ") + ", which is in none of its time limits"
}
