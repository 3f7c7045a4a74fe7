package notes

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// alike is a line that looks as if it were to hold a note: nothing, the sign of some
// comment or a short word, perhaps a word that sets remarks apart, the marker, and what
// may be keys. A quote before it makes it a string of a program.
var alike = regexp.MustCompile(`^[ \t]*([^\w\s"'` + "`" + `]{0,6}|@?[A-Za-z]{1,3}[ \t])[ \t]*` +
	`(?:((?i:todo|fixme|xxx|hack|bug|note|nb|warn|warning|important|safety|remark)(?:\([^)]*\))?)[ \t]*[:,-]?[ \t]+)?` +
	`((?i:gpuci[ \t]*:[ \t]*note))([:;,.]?)(?:[ \t]+(.*?))?[ \t]*$`)

var aKey = regexp.MustCompile(`(?:^|[ \t,])(?:text|owner|about|while-red|while-unchanged|since|until|expects)[ \t]*[=:]`)

// oddly says what is wrong with a line that looks like a note and is none; "" where
// it only speaks of notes. A line without any sign is a text, but for what Python and
// Go have of comments over several lines.
func oddly(name string, line []byte) string {
	m := alike.FindSubmatch(line)
	if m == nil {
		return ""
	}
	sign, tag, marker, after, rest := strings.TrimSpace(string(m[1])), string(m[2]), string(m[3]), string(m[4]), string(m[5])
	keys := len(aKey.FindAllString(rest, -1))
	switch {
	case (tag != "" || marker != Marker) && keys < 2: // it can be about them
		return ""
	case sign == "" && (keys < 2 || path.Ext(name) != ".py" && path.Ext(name) != ".go"):
		return ""
	case sign == "":
		return "it is in no comment: begin the line with the sign of one, such as // or #"
	case tag != "":
		return "a note stands right behind the sign of its comment: take " + tag + " away"
	case marker != Marker:
		return "write it as " + Marker + ", without blanks and in lower case"
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

// spellings are the texts one of which stands in every file that holds a note, or what
// looks like one, in whichever case.
func spellings() []string { return []string{Marker, "gpuci: note", "gpuci :note", "gpuci : note"} }

// speaks says whether a text has such a one, with any number of blanks.
func speaks(text []byte) bool {
	for {
		i := bytes.IndexByte(text, ':')
		if i < 0 {
			return false
		}
		word, _, _ := strings.Cut(Marker, ":")
		before, after := bytes.TrimRight(text[:i], " \t"), bytes.TrimLeft(text[i+1:], " \t")
		if begins(before[max(0, len(before)-len(word)):], word) && begins(after, Marker[len(word)+1:]) {
			return true
		}
		text = text[i+1:]
	}
}

func begins(text []byte, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(string(text[:len(word)]), word)
}
