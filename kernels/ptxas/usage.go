package ptxas

import "strings"

// ParseUsage reads the output of cuobjdump -res-usage, where a kernel has
//
//	Function NAME:
//	 REG:12 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:912 TEXTURE:0 SURFACE:0 SAMPLER:0
//
// and which pairs the second line has varies. Functions that are no entries are in
// it too, and which is which it does not say. Of several cubins in one file it
// prints "arch = sm_90" before each.
func ParseUsage(text string) []Use {
	var list []Use
	arch, line := "", 0
	name, named := "", 0
	for s := range strings.Lines(text) {
		line++
		s = strings.TrimSpace(s)
		if a, ok := strings.CutPrefix(s, "arch = "); ok {
			arch, name = strings.TrimSpace(a), ""
			continue
		}
		if f, ok := strings.CutPrefix(s, "Function "); ok && strings.HasSuffix(f, ":") {
			name, named = strings.TrimSuffix(f, ":"), line
			continue
		}
		if name != "" && strings.Contains(s, "REG:") {
			u := Use{Kernel: name, Arch: arch, Line: named}
			u.pairs(s)
			list, name = append(list, u), ""
		}
	}
	return list
}

func (u *Use) pairs(s string) {
	for pair := range strings.FieldsSeq(s) {
		key, value, ok := strings.Cut(pair, ":")
		n := count(value)
		if !ok || n == nil {
			continue
		}
		switch {
		case key == "REG":
			u.Registers = n
		case key == "STACK":
			u.Stack = n
		case key == "SHARED":
			u.Shared = n
		case key == "LOCAL":
			u.Local = n
		case strings.HasPrefix(key, "CONSTANT["):
			bank, _ := between(key, "[", "]")
			u.bank(bank, *n)
		}
	}
}
