package propose

import (
	"fmt"
	"gpuci/gates/config"
	"strings"
)

func tomlStrings(all []string) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = config.TOMLString(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// tomlCommands writes one command on a line, and several on a line each.
func tomlCommands(all [][]string) string {
	if len(all) == 1 {
		return tomlStrings(all[0])
	}
	var b strings.Builder
	b.WriteString("[\n")
	for _, argv := range all {
		b.WriteString("  " + tomlStrings(argv) + ",\n")
	}
	return b.String() + "]"
}

// comment writes a sentence as the lines of a comment above a table of a gate.
func comment(text string) (out []string) {
	const width = 92
	line := "  #"
	for w := range strings.FieldsSeq(text) {
		if len(line)+1+len(w) > width && line != "  #" {
			out, line = append(out, line), "  #"
		}
		line += " " + w
	}
	return append(out, line)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
