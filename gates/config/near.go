package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxNear is the length in bytes beyond which no near name is looked for: the
// distance costs the product of two lengths, and nobody mistypes a name so long.
const maxNear = 64

// NearOf returns the names that look like name, the nearest first, at most three.
func NearOf(name string, among []string) []string { return near(name, among, 3) }

// meant is a hint that names the nearest of some names, else the other one.
func meant(name string, among []string, otherwise string) string {
	if n := near(name, among, 1); n != nil {
		return fmt.Sprintf("did you mean %q?", n[0])
	}
	return otherwise
}

// near returns the names that look like name, nearest first, at most most of
// them: those a few slips away, and those that hold it or are held by it.
func near(name string, among []string, most int) []string {
	if name == "" || len(name) > maxNear {
		return nil
	}
	type candidate struct {
		name string
		away int
	}
	var found []candidate
	for _, n := range among {
		if len(n) > maxNear {
			continue
		}
		away := distance(strings.ToLower(name), strings.ToLower(n))
		if away <= (len(name)+1)/3 || holds(n, name) || holds(name, n) {
			found = append(found, candidate{n, away})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.away, b.away) })
	var names []string
	for _, c := range found[:min(most, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// holds says whether part is in whole; one or two letters are in everything.
func holds(whole, part string) bool {
	return len(part) >= 3 && strings.Contains(strings.ToLower(whole), strings.ToLower(part))
}

// distance counts the slips between two words: a letter too much, too few,
// wrong, or two neighbours swapped (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var older, old []int // the rows for i-2 and i-1 letters of x
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		older, old, row = old, row, make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := old[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			row[j] = min(old[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(y)]
}
