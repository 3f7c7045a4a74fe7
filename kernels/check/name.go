package check

import (
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// anonymous is how demangled names call a namespace without a name.
const anonymous = "(anonymous namespace)"

// names are the ways to write a kernel: as the driver looks it up, and as its source
// has it, from all of "void ns::step<float>(float*)" down to "step".
func names(k *entry.Kernel) []string {
	all := []string{k.Name}
	if k.Readable != "" && k.Readable != k.Name {
		all = append(all, written(k.Readable)...)
	}
	return all
}

// written are the forms of a demangled name, the shortest last: with what it returns
// and its parameters, without either, without template arguments, without namespaces.
func written(readable string) []string {
	typed, bare := withoutParameters(readable), Short(readable)
	plain := withoutArguments(bare)
	last := lastPart(bare)
	all := []string{readable, strings.TrimPrefix(readable, strings.TrimSuffix(typed, bare)), typed, bare, plain, last, withoutArguments(last)}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// Short is a demangled name without what it returns and its parameters:
// ns::step<float>.
func Short(readable string) string {
	n := withoutParameters(readable)
	return n[space(n)+1:]
}

// withoutParameters takes the last parentheses off, with all that is in them.
func withoutParameters(n string) string {
	end := strings.LastIndexByte(n, ')')
	if end < 0 || end < len(n)-len(" const") || strings.HasSuffix(n[:end+1], anonymous) {
		return n
	}
	depth := 0
	for i := end; i >= 0; i-- {
		switch n[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 && i > 0 {
				return n[:i]
			}
		}
	}
	return n
}

// space is where the type of the result ends: the last space that is in no brackets;
// -1 where there is none, as of what is no template.
func space(n string) int {
	at, depth := -1, 0
	for i := range len(n) {
		switch n[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth--
		case ' ':
			if depth == 0 {
				at = i
			}
		}
	}
	return at
}

// withoutArguments takes template arguments off every part of a name.
func withoutArguments(n string) string {
	var b strings.Builder
	depth := 0
	for _, r := range n {
		switch {
		case r == '<':
			depth++
		case r == '>' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// lastPart is a name without the namespaces before it.
func lastPart(n string) string {
	depth := 0
	for i := len(n) - 1; i > 0; i-- {
		switch n[i] {
		case '>', ')', ']':
			depth++
		case '<', '(', '[':
			depth--
		case ':':
			if depth == 0 {
				return n[i+1:]
			}
		}
	}
	return n
}
