package propose

import (
	"fmt"
	"strings"

	"gpuci/gates/config"
)

// around is how many lines of a diff stand around a change, as diff -u has it.
const around = 3

// unified writes edits, in order, as a unified diff
// (https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html).
func unified(lines []string, edits []edit) string {
	if len(edits) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", config.FileName, config.FileName)
	shift := 0 // by how many lines the new file is ahead
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].line-(edits[n-1].line+edits[n-1].remove) <= 2*around {
			n++
		}
		shift += hunk(&b, lines, edits[:n], shift)
		edits = edits[n:]
	}
	return b.String()
}

// hunk writes some edits that are close together, and returns how many lines
// they add.
func hunk(b *strings.Builder, lines []string, edits []edit, shift int) int {
	last := edits[len(edits)-1]
	from := max(edits[0].line-around, 0)
	to := min(last.line+last.remove+around, len(lines))
	var body strings.Builder
	added, at := 0, from
	for _, e := range edits {
		put(&body, ' ', lines[at:e.line])
		put(&body, '-', lines[e.line:e.line+e.remove])
		put(&body, '+', e.insert)
		added += len(e.insert) - e.remove
		at = e.line + e.remove
	}
	put(&body, ' ', lines[at:to])
	fmt.Fprintf(b, "@@ -%s +%s @@\n%s", span(from, to-from), span(from+shift, to-from+added), body.String())
	return added
}

// span is a range of lines; an empty one is told by the line in front of it.
func span(from, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, n)
}

func put(b *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(mark)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
