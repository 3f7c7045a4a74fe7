package shim

import (
	"os"
	"strings"
)

// maxResponses bounds how many response files one command line may name: a
// file that names itself would never end. gcc gives up at 2,000.
const maxResponses = 2000

// ReadFile gives the text of a response file, and false for what cannot be
// read without harm.
type ReadFile func(name string) (text string, ok bool)

// readResponse reads a response file from the disk. A pipe is left alone: what
// we read from it, the real tool would miss.
func readResponse(name string) (string, bool) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	data, err := os.ReadFile(name)
	return string(data), err == nil
}

// Expand replaces every @FILE by the words of that file, also in the files
// themselves, as gcc and the GNU linkers do. One that cannot be read stays as
// it is.
func Expand(args []string, read ReadFile) []string {
	if !hasResponse(args) {
		return args
	}
	left := maxResponses
	return expand(nil, args, read, &left)
}

func hasResponse(args []string) bool {
	for _, a := range args {
		if len(a) > 1 && a[0] == '@' {
			return true
		}
	}
	return false
}

func expand(out, args []string, read ReadFile, left *int) []string {
	for _, a := range args {
		if len(a) < 2 || a[0] != '@' || *left <= 0 {
			out = append(out, a)
			continue
		}
		*left--
		if text, ok := read(a[1:]); ok {
			out = expand(out, Words(text), read, left)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// Words splits the text of a response file: white space separates, single and
// double quotes keep together, and a backslash takes the next byte as it is,
// inside of quotes too. The text ends at the first NUL.
func Words(text string) []string {
	text, _, _ = strings.Cut(text, "\x00")
	var words []string
	var word []byte
	var quote byte
	inWord := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quote == 0 && isSpace(c) {
			if inWord {
				words = append(words, string(word))
			}
			word, inWord = word[:0], false
			continue
		}
		inWord = true
		switch {
		case c == '\\':
			if i++; i < len(text) {
				word = append(word, text[i])
			}
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		default:
			word = append(word, c)
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words
}

func isSpace(c byte) bool {
	return c == ' ' || c >= '\t' && c <= '\r'
}
