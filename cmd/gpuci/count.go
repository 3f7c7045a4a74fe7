package main

import (
	"fmt"
	"strings"
)

// count is a number of things: "1 process", "2 processes".
func count(n int, one, many string) string { return fmt.Sprintf("%d %s", n, oneMany(n, one, many)) }

// oneMany is the word for one thing, or that for several.
func oneMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// times is how often something was done.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// few names some of many things, and says how many more there are.
func few(names []string) string {
	const most = 8
	if len(names) <= most {
		return printable(strings.Join(names, ", "))
	}
	return printable(strings.Join(names[:most], ", ")) + fmt.Sprintf(" and %d more", len(names)-most)
}
