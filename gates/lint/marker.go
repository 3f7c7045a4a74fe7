package lint

import (
	"strings"
)

// marker accepts the finding on its line.
const marker = "gpuci:lint ok"

// acceptAt reads the marker on a line of a text, on those that a backslash joins to it,
// and on a line of nothing but a comment above these.
func (f *Finding) acceptAt(text string, line int) {
	if !strings.Contains(text, marker) {
		return
	}
	lines := strings.Split(text, "\n")
	first, last := line-1, line-1
	for first > 0 && first <= len(lines) && strings.HasSuffix(lines[first-1], `\`) {
		first--
	}
	for last >= 0 && last+1 < len(lines) && strings.HasSuffix(lines[last], `\`) {
		last++
	}
	if above := first - 1; above >= 0 && above < len(lines) && comment(lines[above]) {
		first--
	}
	for i := max(first, 0); i <= last && i < len(lines) && f.Accepted == ""; i++ {
		f.accept(lines[i])
	}
}

func comment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// accept reads the marker on a line.
func (f *Finding) accept(line string) {
	_, reason, ok := strings.Cut(line, marker)
	if !ok {
		return
	}
	reason = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(reason), "*/"))
	if reason == "" {
		f.Remark = marker + " gives no reason: write why it may stay after it"
		return
	}
	f.Accepted, f.Remark = reason, ""
}
