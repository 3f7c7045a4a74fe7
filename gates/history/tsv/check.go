package tsv

import (
	"slices"
	"strings"
)

// Loss is a line of an earlier form of the file that a later one has not, or not
// behind those it followed.
type Loss struct {
	Number int // in the earlier form, from 1
	Line   string
	Moved  bool // it is there, but elsewhere
}

// Held says which lines of an earlier form a later one does not hold: each must
// be there, unchanged and in the order they had, whatever stands between them.
func Held(earlier, later []byte) (lost []Loss) {
	have := lines(later)
	where := make(map[string][]int, len(have)) // of a line, ascending
	for i, line := range have {
		where[line] = append(where[line], i)
	}
	from := 0
	for i, line := range lines(earlier) {
		at := where[line]
		next, _ := slices.BinarySearch(at, from)
		switch {
		case next < len(at):
			from = at[next] + 1
		case line != "":
			lost = append(lost, Loss{i + 1, line, len(at) > 0})
		}
	}
	return lost
}

// lines are those of a text without their ends: that a file was checked out
// with others changes no row.
func lines(text []byte) (out []string) {
	for line := range strings.Lines(string(text)) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}
