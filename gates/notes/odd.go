package notes

import (
	"path"
	"regexp"
	"strings"
)

// alike is a line that looks as if it were to hold a note: nothing, the sign of some
// comment or a short word, the marker, and what may be keys. A quote before it makes
// it a string of a program.
var alike = regexp.MustCompile(`^[ \t]*([^\w\s"'` + "`" + `]{0,6}|[A-Za-z]{1,3}[ \t])[ \t]*` + Marker + `([:;,.]?)(?:[ \t]+(.*?))?[ \t]*$`)

var aKey = regexp.MustCompile(`(?:^|[ \t,])(?:text|owner|about|while-red|while-unchanged|since|until|expects)[ \t]*[=:]`)

// oddly says what is wrong with a line that looks like a note and is none; "" where
// it only speaks of notes. A line without any sign is a text, but for what Python and
// Go have of comments over several lines.
func oddly(name string, line []byte) string {
	m := alike.FindSubmatch(line)
	if m == nil {
		return ""
	}
	sign, after, rest := strings.TrimSpace(string(m[1])), string(m[2]), string(m[3])
	keys := len(aKey.FindAllString(rest, -1))
	switch {
	case sign == "" && (keys < 2 || path.Ext(name) != ".py" && path.Ext(name) != ".go"):
		return ""
	case sign == "":
		return "it is in no comment: begin the line with the sign of one, such as // or #"
	case after != "" && (keys > 0 || rest == ""):
		return "write a blank after " + Marker + ", and then its keys"
	case after == "" && rest == "":
		return "it has no keys: text=, owner= and a condition"
	case keys == 0:
		return ""
	case strings.Contains(rest, " =") || strings.Contains(rest, "= ") || !strings.Contains(rest, "="):
		return `write key=value, without blanks around the sign, and a text with blanks in quotes: text="…"`
	}
	return "that is no comment of a language that is known here: begin the line with // or #, or write a [[note]]"
}
