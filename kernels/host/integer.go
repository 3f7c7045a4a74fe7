package host

import (
	"strconv"
	"strings"
)

// integer gives the value of a constant expression: numbers, constants, and products
// of them.
func (s *source) integer(x span, at, depth int) (int, bool) {
	if depth > maxDepth || !s.step() {
		return 0, false
	}
	x = s.bare(x)
	for i := x.from; i < x.to; i = s.after(i) {
		if s.toks[i].word("as") && i > x.from {
			return s.integer(span{x.from, i}, at, depth+1)
		}
		if s.toks[i].is("*") && i > x.from {
			a, ok := s.integer(span{x.from, i}, at, depth+1)
			b, good := s.integer(span{i + 1, x.to}, at, depth+1)
			return a * b, ok && good && a < 1<<20 && b < 1<<20
		}
	}
	if s.plainPath(x) && !x.empty() {
		if v, ok := s.defines[s.tok(x.to-1).text]; ok {
			return v, true
		}
		found := s.find(s.tok(x.to-1).text, at)
		if len(found) != 1 || found[0].param != nil || found[0].element >= 0 || s.tok(x.to-2).is(".") || len(s.assigns[s.tok(x.to-1).text]) > 0 {
			return 0, false
		}
		return s.integer(found[0].value, found[0].value.from, depth+1)
	}
	if x.to-x.from != 1 || s.toks[x.from].kind != number {
		return 0, false
	}
	return parseInteger(s.toks[x.from].text)
}

// parseInteger reads 1_024, 0x400, 256u32, 256u, 1'024.
func parseInteger(text string) (int, bool) {
	digits, _ := cutSuffix(strings.ReplaceAll(text, "'", ""))
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 0, 32)
	return int(n), err == nil
}

// suffixes are those of numbers in Rust; the last that fits counts.
var suffixes = []string{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "usize", "isize", "u128", "i128", "f32", "f64"}

// cutSuffix takes the suffix of a number off.
func cutSuffix(text string) (digits, suffix string) {
	for _, x := range suffixes {
		if d, ok := strings.CutSuffix(text, x); ok && d != "" && !(strings.HasPrefix(text, "0x") && x[0] == 'f') {
			return strings.TrimRight(d, "_"), x
		}
	}
	return strings.TrimRight(text, "uUlL"), ""
}
