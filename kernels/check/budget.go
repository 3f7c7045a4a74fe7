package check

import (
	"slices"
	"strconv"

	"gpuci/kernels/entry"
)

// Budget is what the kernels of a pattern may take; nil: as much as they like.
type Budget struct {
	Kernel       string // a name or a pattern; "": all
	Module       string // of files; "": all
	MaxRegisters *int   // of a thread
	MaxSpill     *int   // bytes of a thread, of spill stores or spill loads, whichever are more
	MaxShared    *int   // bytes of static shared memory of a block
	MaxStack     *int   // bytes of a thread
	Place
}

// limit is one number of a budget.
type limit struct {
	rule, what, key string
	max             *int
	of              func(*entry.Kernel) *int
	harm            string
}

func (b Budget) limits() []limit {
	return []limit{
		{"registers", "registers", "max-registers", b.MaxRegisters, func(k *entry.Kernel) *int { return k.Registers },
			"fewer blocks fit on a multiprocessor, and a large block may not launch at all"},
		{"spills", "bytes of spills", "max-spill-bytes", b.MaxSpill, Spilled,
			"what does not fit into registers goes through memory in every thread: the kernel is slower"},
		{"shared", "bytes of static shared memory", "max-shared", b.MaxShared, func(k *entry.Kernel) *int { return k.Shared },
			"fewer blocks fit on a multiprocessor, and less is left for dynamic shared memory: a launch may fail"},
		{"stack", "bytes of stack", "max-stack", b.MaxStack, func(k *entry.Kernel) *int { return k.Stack },
			"local memory is reserved for every thread that the card can hold, and is as slow as the card's memory"},
	}
}

// limited is a number of a kernel that is limited.
type limited struct {
	place
	rule string
}

// Spilled is how many bytes a thread spills: of stores or loads, whichever are more.
func Spilled(k *entry.Kernel) *int {
	switch {
	case k.SpillStores == nil:
		return k.SpillLoads
	case k.SpillLoads == nil:
		return k.SpillStores
	}
	n := max(*k.SpillStores, *k.SpillLoads)
	return &n
}

// budgets holds kernels to what they may take. Of several budgets that name a kernel
// and say the same limit, the last one is the kernel's.
func (s *set) budgets(list []Budget) []Finding {
	var all []Finding
	holds := make(map[limited]int)
	for i, b := range list {
		for _, l := range b.limits() {
			for _, p := range s.find(b.Kernel, b.Module) {
				if l.max != nil {
					holds[limited{p, l.rule}] = i
				}
			}
		}
	}
	for i, b := range list {
		found := s.find(b.Kernel, b.Module)
		if len(found) == 0 {
			all = append(all, Finding{
				Rule: "budget-unmatched", Kernel: b.Kernel, File: b.File, Line: b.Line,
				Expected: "a kernel of that name", Found: "none in " + s.counted(),
				Harm: "nothing is held to this budget", Next: s.perhaps(b.Kernel, s.all(), "name a kernel that is there, or leave the budget out"),
			})
		}
		for _, l := range b.limits() {
			if l.max != nil {
				own := slices.DeleteFunc(slices.Clone(found), func(p place) bool { return holds[limited{p, l.rule}] != i })
				all = append(all, s.hold(b, l, own)...)
			}
		}
	}
	return all
}

// hold holds kernels to a limit. PTX says none of the numbers: it counts only where the
// kernel is in no cubin.
func (s *set) hold(b Budget, l limit, found []place) []Finding {
	var all []Finding
	for _, p := range found {
		k, m := s.kernel(p), s.modules[p.module]
		f := Finding{Rule: l.rule, Kernel: shown(k), Module: label(m), File: b.File, Line: b.Line, Expected: "at most " + strconv.Itoa(*l.max) + " " + l.what, Harm: l.harm}
		n := l.of(k)
		switch {
		case n == nil && m.Kind == "ptx" && s.inCubin(k.Name):
			continue
		case n == nil:
			f.Rule, f.Found, f.Next = "budget-unknown", "how many "+l.what+" it has is not known", unknownNumber(l, m)
		case *n > *l.max:
			f.Found, f.Next = strconv.Itoa(*n)+" "+l.what, "see what changed in its source, its launch bounds and its flags, or raise "+l.key
		default:
			continue
		}
		all = append(all, f)
	}
	return all
}

func unknownNumber(l limit, m entry.Module) string {
	switch {
	case m.Kind == "ptx":
		return "compile it to a cubin: PTX does not say"
	case l.rule == "spills":
		return "have gpuci build it: a cubin does not say, ptxas does while it compiles"
	}
	return "look with a newer cuobjdump -res-usage, and leave the limit out where no tool can say"
}

func (s *set) inCubin(name string) bool {
	for _, p := range s.byName[name] {
		if s.modules[p.module].Kind == "cubin" {
			return true
		}
	}
	return false
}

// counted says how many modules and kernels there are.
func (s *set) counted() string {
	n := 0
	for _, m := range s.modules {
		n += len(m.Kernels)
	}
	return count(n, "kernel") + " of " + count(len(s.modules), "module")
}
