package main

import (
	"strconv"
	"strings"
	"unicode"
)

// printable makes a text from somebody's output safe for a terminal: control
// characters and bytes that are no UTF-8 are shown as Go would write them.
func printable(s string) string {
	if strings.IndexFunc(s, unsafeRune) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !unsafeRune(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

func unsafeRune(r rune) bool {
	return r == unicode.ReplacementChar || r != '\t' && !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == '\r' || r == '\v' || r == '\f' || r == '\u0085'
}
