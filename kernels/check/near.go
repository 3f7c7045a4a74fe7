package check

import (
	"cmp"
	"slices"
	"strings"
)

// maxNear is the length in bytes beyond which a name is not compared letter by letter:
// that costs the product of two lengths, and mangled names run to kilobytes.
const maxNear = 128

// near gives the names that are like one, the nearest first, at most most of them.
func near(name string, among []string, most int) []string {
	type candidate struct {
		name string
		away int
	}
	var list []candidate
	for _, n := range among {
		if len(n) > maxNear || len(name) > maxNear || n == name {
			continue
		}
		away := slips(strings.ToLower(name), strings.ToLower(n))
		holds := len(name) >= 3 && strings.Contains(n, name) || len(n) >= 3 && strings.Contains(name, n)
		if away <= (len(name)+2)/4 || holds {
			list = append(list, candidate{n, away})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.away, b.away), cmp.Compare(a.name, b.name)) })
	var names []string
	for _, c := range list[:min(most, len(list))] {
		names = append(names, c.name)
	}
	return names
}

// slips is how many letters have to be put in, left out or changed.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}
