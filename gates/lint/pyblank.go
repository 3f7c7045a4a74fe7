package lint

import (
	"regexp"
	"strings"
)

var pyString = regexp.MustCompile(`^[rRbBfFuU]{0,2}("""|'''|"|')`)

// pyBlank gives a Python source without what is no code: comments, and what stands in
// strings, are spaces. Every byte of code is in its place, and every line.
func pyBlank(text string) string {
	out := []byte(text)
	wipe := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '#':
			end := i + strings.IndexByte(text[i:]+"\n", '\n')
			wipe(i, end)
			i = end
		case c == '"' || c == '\'':
			mark := pyString.FindStringSubmatch(text[i:])[1]
			body := i + len(mark)
			end := pyStringEnd(text, body, mark)
			wipe(body, max(end-len(mark), body))
			i = end
		default:
			i++
		}
	}
	return string(out)
}

// pyStringEnd is the offset behind a string whose body begins at from.
func pyStringEnd(text string, from int, mark string) int {
	for i := from; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], mark):
			return i + len(mark)
		case text[i] == '\n' && len(mark) == 1:
			return i
		}
	}
	return len(text)
}
