package build

import (
	"regexp"
	"strings"
)

// words parts a text as files of options and variables of flags are: at blanks, but not
// in quotes.
func words(text string) []string {
	all, _ := bareWords(text)
	return all
}

// bareWords are the words of a text, and whether a sign that a shell takes for its own
// stands in one of them without quotes.
func bareWords(text string) (all []string, bare bool) {
	var b strings.Builder
	quote, inside := byte(0), false
	end := func() {
		if inside {
			all = append(all, b.String())
		}
		b.Reset()
		inside = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == 0 && strings.IndexByte(" \t\n\r\v\f", c) >= 0:
			end()
			continue
		case quote == 0 && strings.IndexByte("<>|&;()", c) >= 0:
			bare = true
			b.WriteByte(c)
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
		inside = true
	}
	end()
	return all, bare
}

// shellName is a variable in a word. nvcc hands its commands to a shell, which puts the
// value in.
var shellName = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

// expanded are the variables in a word; blind is whether more of it depends on what
// cannot be seen: the output of a command, a parameter of the shell.
func expanded(word string) (names []string, blind bool) {
	for _, m := range shellName.FindAllStringSubmatch(word, -1) {
		names = append(names, m[1])
	}
	return names, strings.ContainsRune(word, '`') || strings.Count(word, "$") > len(names)
}
