package build

import (
	"fmt"
	"strings"
)

// target is what our dependency files say is made: nvcc does not escape a name.
const target = "unit"

// parseDeps reads the files that a dependency file names, as make would: blanks
// part them, a backslash keeps a blank or a # from doing so, $$ is a dollar.
func parseDeps(text string) ([]string, error) {
	head, list, ok := strings.Cut(text, ":")
	if !ok || strings.TrimSpace(head) != target {
		return nil, fmt.Errorf("read the dependencies: no rule for %q but %.40q", target, head)
	}
	var all []string
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for i := 0; i < len(list); i++ {
		next := byte(0)
		if i+1 < len(list) {
			next = list[i+1]
		}
		switch c := list[i]; {
		case c == '\\' && (next == '\n' || next == '\r'):
			end()
		case c == '\\' && (next == ' ' || next == '#' || next == '\t'), c == '$' && next == '$':
			b.WriteByte(next)
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
		default:
			b.WriteByte(c)
		}
	}
	end()
	return all, nil
}
