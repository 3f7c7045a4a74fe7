package entry

import (
	"path"
	"strconv"
	"strings"
)

// Canonical is a mangled name without what the compiler put into it for the path of
// its file: a kernel in an unnamed namespace, or a static one, is called otherwise as
// soon as its file lies elsewhere, and is the same.
func Canonical(name string) string {
	if rest, ok := strings.CutPrefix(name, "__nv_static_"); ok {
		digits, rest, _ := strings.Cut(rest, "__")
		if n, err := strconv.Atoi(digits); err == nil && n >= 0 && n < len(rest) {
			name = "__nv_static_" + rest[n:]
		}
	}
	for _, mark := range []string{"_GLOBAL__N_", "_INTERNAL_"} {
		if strings.Contains(name, mark) {
			name = shortened(name, mark)
		}
	}
	return name
}

// shortened takes off what follows a mark, up to the length that stands before it:
// 30_GLOBAL__N__1d98539e_4_k_cu_c3 is _GLOBAL__N_.
func shortened(name, mark string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(name, mark)
		if !found {
			b.WriteString(name)
			return b.String()
		}
		stem := strings.TrimRight(before, "0123456789")
		rest := 0
		if n, err := strconv.Atoi(before[len(stem):]); err == nil && n >= len(mark) && n-len(mark) <= len(after) {
			before, rest = stem, n-len(mark)
		}
		b.WriteString(before + mark)
		name = after[rest:]
	}
}

// Text is a text of a program that asserts, as it is compared: of the path of a source,
// which assert has for its message and which says where it was compiled, its last name.
func Text(text string) string {
	end := strings.TrimRight(text, "\x00")
	if !sourcePath(end) {
		return text
	}
	return path.Base(end) + text[len(end):]
}

// sourcePath says whether a text can be the path of a source.
func sourcePath(text string) bool {
	if strings.ContainsAny(text, "%\n") {
		return false
	}
	switch path.Ext(text) {
	case ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc", ".ipp", ".tpp":
		return true
	}
	return false
}
