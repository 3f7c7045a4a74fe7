package gates

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compare finds the files in which the runs differ.
func (c *comparedFiles) compare(r *Repeat) {
	if c == nil {
		return
	}
	var found []Unstable
	for _, path := range slices.Sorted(maps.Keys(c.seen)) {
		list := c.seen[path]
		r.Files++
		r.Bytes += list[0].size
		if u := c.differing(path, list); u != nil {
			found = append(found, *u)
		}
	}
	slices.SortStableFunc(found, func(a, b Unstable) int { return b.Differ - a.Differ }) // the worst first
	r.Unstable = append(r.Unstable, found...)
}

// differing holds a file of all runs against that of the first.
func (c *comparedFiles) differing(path string, list []fileSeen) *Unstable {
	u := &Unstable{Kind: "file", Name: path}
	what := make([]string, len(c.runs))
	whole := make([]int, len(c.runs))
	var other *fileSeen
	for n, run := range c.runs {
		whole[n] = run - 1
		i := slices.IndexFunc(list, func(s fileSeen) bool { return s.run == run })
		if i < 0 {
			what[n] = "not written"
			continue
		}
		what[n] = fmt.Sprintf("%d bytes, sha256 %x", list[i].size, list[i].sum[:6])
		if list[i].sum != list[0].sum && other == nil {
			other = &list[i]
		}
	}
	text, odd := grouped(what, whole)
	if text == "" {
		return nil
	}
	u.Runs = odd
	if other == nil {
		u.Text = path + ": " + text
		return u
	}
	first := list[0]
	if first.size == other.size && first.copy != "" && other.copy != "" {
		if where, err := elementsApart(c.Elements, first, *other, u); err == nil {
			u.Text = path + ": " + where + c.alike(list)
			return u
		}
	}
	if c.oneSize(list) { // once is enough
		for n := range what {
			what[n] = strings.TrimPrefix(what[n], fmt.Sprintf("%d bytes, ", first.size))
		}
		text, _ = grouped(what, whole)
		text = fmt.Sprintf("%d bytes; %s", first.size, text)
	}
	u.Text = path + ": " + text
	blocks := (max(first.size, other.size) + compareBlock - 1) / compareBlock
	if len(other.odd) > 0 {
		u.Differ, u.Of = len(other.odd), int(blocks)
		u.Text += fmt.Sprintf("; %d of %s of 64 KiB %s between runs %d and %d, the first from byte %d on",
			u.Differ, plural(u.Of, "block"), differ(u.Differ), first.run, other.run, int64(other.odd[0])*compareBlock)
	}
	return u
}

// oneSize says whether every run that wrote a file wrote as many bytes.
func (c *comparedFiles) oneSize(list []fileSeen) bool {
	return !slices.ContainsFunc(list, func(s fileSeen) bool { return s.size != list[0].size })
}

// alike says which runs wrote the same, where that is not told by naming two.
func (c *comparedFiles) alike(list []fileSeen) string {
	by := make(map[[sha256.Size]byte][]int)
	for _, s := range list {
		by[s.sum] = append(by[s.sum], s.run)
	}
	var parts []string
	for _, s := range list {
		if runs := by[s.sum]; len(runs) > 1 && runs[0] == s.run {
			parts = append(parts, runsText(runs))
		}
	}
	const most = 3
	switch {
	case len(c.runs) == 2:
		return ""
	case len(parts) == 0:
		return fmt.Sprintf("; no two of %d runs wrote the same", len(c.runs))
	case len(parts) > most:
		parts = append(parts[:most], fmt.Sprintf("%d groups more", len(parts)-most))
	}
	return "; alike are " + strings.Join(parts, "; ")
}

// differ is what n of several do.
func differ[N int | int64](n N) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}
