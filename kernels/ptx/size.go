package ptx

import "strings"

// Size is how many bytes of data belong to the PTX module that it begins with, whatever
// text follows it, as strings do in a program: the module ends where a statement is
// over and no other begins, or where the next .version does.
func Size(data []byte) int {
	l := lexer{rest: string(data), line: 1}
	end, over, depth := 0, false, 0
	for first := true; ; first = false {
		t := l.next()
		at := len(data) - len(l.rest)
		switch {
		case t.text == "" || t.is(".version") && !first && depth == 0:
			return end
		case over && !strings.HasPrefix(t.text, ".") && !t.is(";"):
			return end
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		}
		over = depth <= 0 && (t.is("}") || t.is(";"))
		end = at
	}
}
