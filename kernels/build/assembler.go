package build

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// assembler is where a source may have the assembler read another file, which no
// dependency file names: asm with .incbin or .include. It matters only where an assembler
// runs, which is for objects; PTX has no such thing.
type assembler struct {
	Reads string // "line 12: …": it says so; "" where it does not
	Hides string // "line 12: …": its text is not there to be read, as a macro makes some of it
}

// assembles looks through every asm of a source, its strings joined as the compiler joins
// them. Names that are pasted together (as##m) are not seen.
func assembles(text []byte) (a assembler) {
	// Anywhere, since the string may reach an asm by a macro.
	lower := bytes.ToLower(text)
	if at := bytes.Index(lower, []byte(".incbin")); at >= 0 {
		a.Reads = fmt.Sprintf("line %d: a file that the assembler includes", 1+bytes.Count(text[:at], []byte("\n")))
	}
	if !bytes.Contains(text, []byte("as")) && !bytes.Contains(text, []byte("sm")) { // a line may end within the word
		return a
	}
	l := lexer{text: text}
	for {
		word := l.next()
		if word == "" {
			return a
		}
		if !slices.Contains(asmWords, word) {
			continue
		}
		line, behind := l.line, l
		switch said, literal := l.asm(); {
		case !literal:
			a.Hides = cmp.Or(a.Hides, fmt.Sprintf("line %d: an asm whose text a macro makes", line))
			l = behind // another may stand in what was no text
		case literal && reads(said) && a.Reads == "":
			a.Reads = fmt.Sprintf("line %d: a file that the assembler includes", line)
		}
	}
}

var asmWords = []string{"asm", "__asm__", "__asm"}

// asmQualifiers may stand between asm and its parenthesis.
var asmQualifiers = []string{"volatile", "__volatile__", "__volatile", "inline", "__inline__", "__inline", "goto"}

// reads is whether a text has the assembler read a file, or may: its own macros can make
// any directive. It takes directives in either case.
func reads(text string) bool {
	text = strings.ToLower(text)
	for _, directive := range []string{".incbin", ".include", ".macro", ".irp", ".altmacro"} {
		if strings.Contains(text, directive) {
			return true
		}
	}
	return false
}

// asm is the text behind the word, up to its operands; literal is whether all of it is
// strings.
func (l *lexer) asm() (text string, literal bool) {
	word := l.next()
	for slices.Contains(asmQualifiers, word) {
		word = l.next()
	}
	if word != "(" {
		return "", false
	}
	var b strings.Builder
	for {
		switch word = l.next(); {
		case word == ":" || word == "::" || word == ")":
			return b.String(), true
		case strings.HasPrefix(word, `"`):
			b.WriteString(unescaped(word[1:]))
		default:
			return "", false
		}
	}
}

// unescaped is a string with its numbers for letters put in; of the other escapes none is
// a letter of a directive.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		n, base := 0, 0
		switch c := text[i]; {
		case c >= '0' && c <= '7':
			base = 8
			for n < 3 && i+n < len(text) && text[i+n] >= '0' && text[i+n] <= '7' {
				n++
			}
		case c == 'x':
			i, base = i+1, 16
			for i+n < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[i+n]) >= 0 {
				n++
			}
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
			continue
		}
		v, _ := strconv.ParseUint(text[i:i+n], base, 64) // one that is too large is no letter
		b.WriteByte(byte(v))
		i += n - 1
	}
	return b.String()
}
