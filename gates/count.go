package gates

import "fmt"

// plural is a number of things whose name only gets an s.
func plural(n int, what string) string { return countOf(n, what, what+"s") }

// countOf is a number of things: "1 process", "2 processes".
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
