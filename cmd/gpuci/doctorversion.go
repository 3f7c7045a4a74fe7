package main

import (
	"regexp"
	"strconv"
	"strings"
)

// versionPatterns find a version in what a tool says of itself: behind a V, as
// the CUDA tools have it in their fourth line (the others have none there); else
// the first number with a point in it.
func versionPatterns() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`\bV(\d+(?:\.\d+)+)`),
		regexp.MustCompile(`(?:^|[^\w.]|\bgo|\bv)(\d+(?:\.\d+)+[\w.+~-]*)`),
	}
}

// inBrackets is what distributions say of their own packages.
const inBrackets = `\([^()]*\)`

// versionIn is the version in a tool's answer to --version, "" where there is
// none that can be told. What stands in brackets is the packager's, unless there
// is nothing else.
func versionIn(text string) string {
	bare := regexp.MustCompile(inBrackets).ReplaceAllString(text, " ")
	for _, from := range []string{bare, text} {
		for _, p := range versionPatterns() {
			if m := p.FindStringSubmatch(from); m != nil {
				return strings.TrimRight(m[1], ".+~-")
			}
		}
	}
	return ""
}

// atLeast compares the numbers of a version with those wanted.
func atLeast(version string, want ...int) bool {
	parts := strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	for i, w := range want {
		have := 0
		if i < len(parts) {
			have, _ = strconv.Atoi(parts[i])
		}
		if have != w {
			return have > w
		}
	}
	return true
}
