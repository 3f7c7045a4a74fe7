package proc

import (
	"strconv"
	"strings"
)

// Printable makes a text of somebody else's, such as the name that a process gives
// itself, safe to stand in a line on a terminal: what is not printed as it is, ends of
// lines too, is shown as Go would write it.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
