package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// Matches says whether a name or pattern means a kernel, in any of the ways to write
// it; an empty one means all. In a pattern * is any letters, ? is one, and [ab] is a
// or b; a * that ends an argument after its type, as in step(float*) and axpy<float*>,
// is the one of a pointer. Spaces that C++ does not need, and a leading ::, are nothing.
func Matches(pattern string, k *entry.Kernel) bool {
	if pattern == "" || pattern == "*" {
		return true
	}
	tight := tighten(pattern)
	escaped := literalStars(tight)
	wild := strings.ContainsAny(strings.ReplaceAll(escaped, `\*`, ""), `*?[\`)
	for _, n := range names(k) {
		t := tighten(n)
		if n == pattern || t == tight || wild && matches(escaped, t) {
			return true
		}
	}
	return false
}

// tighten takes out the spaces of a name that stand beside no two words, and a leading ::.
func tighten(n string) string {
	n = strings.TrimPrefix(strings.TrimSpace(n), "::")
	if !strings.Contains(n, " ") {
		return n
	}
	var b strings.Builder
	for i := range len(n) {
		if n[i] == ' ' && (i == 0 || !inWord(n[i-1]) || !inWord(nextLetter(n[i:]))) {
			continue
		}
		b.WriteByte(n[i])
	}
	return b.String()
}

// nextLetter is the first that is no space, 0 at the end.
func nextLetter(n string) byte {
	if n = strings.TrimLeft(n, " "); n != "" {
		return n[0]
	}
	return 0
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// literalStars puts a backslash before each * of a pointer: within brackets, behind a
// type, and before what ends an argument.
func literalStars(pattern string) string {
	if !strings.ContainsAny(pattern, "<(") {
		return pattern
	}
	var b strings.Builder
	depth := 0
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case '*':
			if depth > 0 && i > 0 && (inWord(pattern[i-1]) || strings.IndexByte(">*)", pattern[i-1]) >= 0) && endsArgument(pattern[i+1:]) {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// endsArgument says whether what follows a * in a pattern ends the argument, after what
// else a pointer can have.
func endsArgument(rest string) bool {
	for {
		before := rest
		for _, more := range []string{"*", "&", "const", "__restrict__", "volatile"} {
			rest = strings.TrimPrefix(rest, more)
		}
		rest = strings.TrimLeft(rest, " ")
		if rest == before {
			return rest != "" && strings.IndexByte(",)>", rest[0]) >= 0
		}
	}
}

// matches reads a pattern in two ways: as path.Match does, and with brackets as the
// letters that they are, which stand in the names of C++.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil || glob(pattern, name)
}

// glob matches with * and ? alone, in time that is the product of the two lengths at
// most. A backslash before a * makes it a letter.
func glob(pattern, name string) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case strings.HasPrefix(pattern[p:], `\*`) && name[n] == '*':
			p += 2
			n++
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && !strings.HasPrefix(pattern[p:], `\*`) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// called gives the names of kernels that are called as a name says but for its arguments:
// en<(M)1> for en<M::B>.
func called(name string, modules []entry.Module) (list []string) {
	plain := withoutArguments(Short(name))
	if plain == "" || plain == name {
		return nil
	}
	for _, m := range modules {
		for i := range m.Kernels {
			bare := Short(shown(&m.Kernels[i]))
			if p := withoutArguments(bare); p == plain || lastPart(p) == plain {
				list = append(list, bare)
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(slips(a[:min(len(a), maxNear)], name[:min(len(name), maxNear)]), slips(b[:min(len(b), maxNear)], name[:min(len(name), maxNear)])), cmp.Compare(a, b))
	})
	return slices.Compact(list)
}
