package simt

import (
	"path/filepath"
	"strconv"
	"strings"
)

// content is a preprocessed text without the directories of its files, so that it is the
// same wherever they lie. Whose lines follow the preprocessor says by a line such as
// # 12 "dir/a.cuh" 1. A regular expression over this megabyte of text took as long as all
// else that is done here by a build which finds everything.
func content(whole string) string {
	var b strings.Builder
	b.Grow(len(whole))
	from := 0
	for at := 0; ; {
		if begin, end := marked(whole[at:]); end > 0 {
			b.WriteString(whole[from : at+begin])
			b.WriteString(strconv.Quote(filepath.Base(unquoted(whole[at+begin : at+end]))))
			at += end
			from = at
		}
		next := strings.Index(whole[at:], "\n# ")
		if next < 0 {
			b.WriteString(whole[from:])
			return b.String()
		}
		at += next + 1
	}
}

// marked says where the name of a file is, with its quotes, in a line that says whose
// lines follow, with which the text begins; 0 and 0 when it begins with another.
func marked(text string) (begin, end int) {
	rest, ok := strings.CutPrefix(text, "# ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !ok || digits == 0 || !strings.HasPrefix(rest[digits:], ` "`) {
		return 0, 0
	}
	begin = len("# ") + digits + len(" ")
	for i := begin + 1; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == '"' {
			return begin, i + 1
		}
		if text[i] == '\\' && i+1 < len(text) && text[i+1] != '\n' {
			i++
		}
	}
	return 0, 0
}

// unquoted is what is between quotes, and with them where Go does not know what that is.
func unquoted(text string) string {
	if name, err := strconv.Unquote(text); err == nil {
		return name
	}
	return text
}
