package ptxas

import "strings"

// Parse reads the output of ptxas -v, and that of nvcc with the same, which runs
// ptxas once for each architecture. Lines of anything else are passed over. Of one
// entry the text has
//
//	ptxas info    : Compiling entry function 'NAME' for 'sm_90'
//	ptxas info    : Function properties for NAME
//	    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//	ptxas info    : Used 8 registers, used 1 barriers, 4 bytes smem, 360 bytes cmem[0]
//
// and then the second and third again for each function that it calls and that was not
// put into it. The entry runs those: their spills count. A function that was compiled
// for itself, to be linked, has the same two lines, before an entry's or behind them, and
// the text does not tell: [Into] does, by what came out. Releases before 12.5 say no
// barriers.
func Parse(text string) []Use {
	var list []Use
	var now *Use
	of := "" // the function whose properties come next
	line := 0
	for s := range strings.Lines(text) {
		line++
		s = strings.TrimRight(s, "\r\n")
		if name, arch, ok := compiling(s); ok {
			list = append(list, Use{Kernel: name, Arch: arch, Line: line})
			now, of = &list[len(list)-1], ""
			continue
		}
		if now == nil {
			continue
		}
		if _, name, ok := strings.Cut(s, "Function properties for "); ok {
			of = strings.Trim(strings.TrimSpace(name), "'")
			continue
		}
		if strings.Contains(s, " bytes stack frame, ") && of != "" {
			now.frame(s, of == now.Kernel)
			of = ""
			continue
		}
		if _, rest, ok := strings.Cut(s, "info"); ok {
			if _, rest, ok = strings.Cut(rest, ": Used "); ok {
				now.used(rest)
			}
		}
	}
	return list
}

// compiling is the line that begins an entry.
func compiling(s string) (name, arch string, ok bool) {
	_, rest, ok := strings.Cut(s, "Compiling entry function '")
	if !ok {
		return "", "", false
	}
	name, rest, ok = strings.Cut(rest, "' for '")
	if !ok {
		return "", "", false
	}
	arch, _, ok = strings.Cut(rest, "'")
	return name, arch, ok && name != ""
}

// frame reads the line of a function's stack and spills, of the entry's own or of one
// that follows its lines.
func (u *Use) frame(s string, own bool) {
	var f Use
	for part := range strings.SplitSeq(s, ",") {
		word, what, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch n := count(word); what {
		case "bytes stack frame":
			f.Stack = n
		case "bytes spill stores":
			f.SpillStores = n
		case "bytes spill loads":
			f.SpillLoads = n
		}
	}
	if own {
		u.Stack, u.OwnStores, u.OwnLoads = f.Stack, f.SpillStores, f.SpillLoads
	}
	u.SpillStores, u.SpillLoads = sum(u.SpillStores, f.SpillStores), sum(u.SpillLoads, f.SpillLoads)
}

// used reads what follows "Used ": parts of a number and a name.
func (u *Use) used(s string) {
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "used ")
		word, what, _ := strings.Cut(part, " ")
		n := count(word)
		if n == nil {
			continue
		}
		switch {
		case what == "registers":
			u.Registers = n
		case what == "barriers":
			u.Barriers = n
		case what == "bytes smem":
			u.Shared = n
		case what == "bytes lmem":
			u.Local = n
		case strings.HasPrefix(what, "bytes cmem["):
			bank, _ := between(what, "[", "]")
			u.bank(bank, *n)
		}
	}
	if u.Shared == nil && u.Registers != nil { // said only where there is some
		none := 0
		u.Shared = &none
	}
}

func (u *Use) bank(name string, bytes int) {
	bank := count(name)
	if bank == nil {
		return
	}
	if u.Constant == nil {
		u.Constant = map[int]int{}
	}
	u.Constant[*bank] = bytes
}

// sum adds where both are known; nil and a number are that number.
func sum(a, b *int) *int {
	if a == nil || b == nil {
		return or(a, b)
	}
	n := *a + *b
	return &n
}
