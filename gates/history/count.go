package history

import "fmt"

// countOf is a number of things in a note: "1 line", "2 lines".
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
