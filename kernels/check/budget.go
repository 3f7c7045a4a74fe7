package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

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
				Harm: "nothing is held to this budget", Next: s.meant(b.Kernel, "name a kernel that is there, or leave the budget out"),
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
		n := l.of(k)
		switch {
		case n == nil && m.Kind == "ptx" && s.inCubin(k.Name):
		case n == nil && s.stale(k, m): // what is said of it mends this too
		case n == nil:
			all = append(all, s.unknownNumber(b, l, p))
		case *n > *l.max:
			all = append(all, Finding{
				Rule: l.rule, Kernel: shown(k), Module: label(m), File: b.File, Line: b.Line, Expected: "at most " + strconv.Itoa(*l.max) + " " + l.what,
				Found: strconv.Itoa(*n) + " " + l.what + l.parts(k), Harm: l.harm, Next: "see what changed in its source, its launch bounds and its flags, or raise " + l.key,
			})
		}
	}
	return all
}

// parts says how much of spills are stores and how much loads: the larger one counts.
func (l limit) parts(k *entry.Kernel) string {
	if l.rule != "spills" || k.SpillStores == nil || k.SpillLoads == nil {
		return ""
	}
	return " (" + strconv.Itoa(*k.SpillStores) + " stored, " + strconv.Itoa(*k.SpillLoads) + " loaded)"
}

// unknownNumber is the finding about a kernel of which a number is not known.
func (s *set) unknownNumber(b Budget, l limit, p place) Finding {
	k, m := s.kernel(p), s.modules[p.module]
	return Finding{
		Rule: "budget-unknown", Kernel: shown(k), Module: label(m), File: b.File, Line: b.Line, Harm: l.harm,
		Expected: "at most " + strconv.Itoa(*l.max) + " " + l.what, Found: "how many " + l.what + " it has is not known", Next: s.unknownNext(l, m),
	}
}

// stale says whether a committed kernel is found not to be what its source makes.
func (s *set) stale(k *entry.Kernel, m entry.Module) bool {
	at := s.freshOf(m)
	if at < 0 {
		return false
	}
	b := named(s.fresh[at].Built, k.Name)
	return b == nil || s.fresh[at].kernel(k, b) != nil
}

// freshOf is what a committed module is held against, -1 where that is nothing.
func (s *set) freshOf(m entry.Module) int {
	return slices.IndexFunc(s.fresh, func(f Fresh) bool {
		return f.Committed.File == m.File && f.Committed.Part == m.Part && f.Committed.Arch == m.Arch
	})
}

// unknownNext is the way out: the kernel is to be built here, by what made it.
func (s *set) unknownNext(l limit, m entry.Module) string {
	at := s.freshOf(m)
	switch {
	case m.Kind == "ptx":
		return "compile it to a cubin: PTX does not say"
	case l.rule != "spills":
		return "look with a newer cuobjdump -res-usage, and leave the limit out where no tool can say"
	case at < 0:
		return "have gpuci build it: a cubin does not say, ptxas does while it compiles"
	}
	f := s.fresh[at]
	anew := "build " + m.File + " anew from " + f.Source + " and commit it"
	var set []string
	if with := cmp.Or(f.Toolkit, f.Built.Toolkit); m.Toolkit != "" && with != "" && m.Toolkit != with {
		set = append(set, `nvcc = "`+m.Toolkit+`"`)
	}
	if f.Built.Toolkit == "" {
		set = append(set, strconv.Quote(m.Arch)+" among arch")
	}
	if set == nil {
		return anew + ": a cubin does not say, ptxas does while it compiles"
	}
	return "say " + strings.Join(set, " and ") + " in the set, so that it is built as this was, or " + anew
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
