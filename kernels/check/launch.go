package check

import (
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Launch is a launch as it is declared: what hosts pass to a kernel.
type Launch struct {
	Kernel string   // by either name
	Module string   // of files; "": all
	Args   []string // types ("u32", "float", "pointer", "float*") or sizes in bytes ("60")
	Block  []int    // threads in x, y and z; nil: not said
	Place
}

func (s *set) declared(list []Launch) []Finding {
	var all []Finding
	for _, l := range list {
		f := Finding{Kernel: l.Kernel, File: l.File, Line: l.Line}
		found := s.find(l.Kernel, l.Module)
		if len(found) == 0 {
			f.Rule, f.Expected, f.Found = "launch-kernel", "a kernel of that name", "none in "+s.counted()
			f.Harm = "a host that looks it up gets CUDA_ERROR_NOT_FOUND"
			f.Next = s.meant(l.Kernel, "name a kernel that is there, or leave the launch out")
			if l.Module != "" && !slices.ContainsFunc(s.modules, func(m entry.Module) bool { return fits(l.Module, m.File) }) {
				f.Expected, f.Found = "device code that is called "+l.Module, "none of "+count(len(s.modules), "module")+" is"
				f.Harm, f.Next = "the launch is not checked", "mend its module, or build it or add it to prebuilt"
			}
			all = append(all, f)
			continue
		}
		var args []argument
		for i, a := range l.Args {
			arg, ok := parseArgument(a)
			if !ok {
				f.Rule, f.Expected, f.Found = "launch-unknown", "a type or a size in bytes", "argument "+strconv.Itoa(i)+": "+strconv.Quote(a)
				f.Harm, f.Next = "the size of this argument is not checked", "write a type (u32, float, pointer, …) or a number of bytes"
				all = append(all, f)
			}
			if arg.text == "" {
				arg.text = a
			}
			args = append(args, arg)
		}
		for _, p := range found {
			all = append(all, s.declaredOne(l, args, p)...)
		}
	}
	return all
}

func (s *set) declaredOne(l Launch, args []argument, p place) []Finding {
	k, m := s.kernel(p), s.modules[p.module]
	f := Finding{Kernel: shown(k), Module: label(m), File: l.File, Line: l.Line}
	all := s.blocks(f, l.Block, p)
	if !k.ParamsKnown {
		f.Rule, f.Expected, f.Found = "launch-unknown", count(len(args), "parameter"), "its parameters are not known"
		f.Harm, f.Next = "the launch is not checked: a wrong count or size shifts pointers", "have its PTX checked, or compile it anew: old toolkits leave the parameters out"
		return append(all, f)
	}
	if m, bad := holdArguments(args, k); bad {
		f.Rule, f.Expected, f.Found, f.Harm = m.rule, m.expected, m.found, m.harm
		f.Next = "change the declaration and every host with it, or build the module anew: it has (" + paramList(k) + ")"
		all = append(all, f)
	}
	return all
}

// Limits of every architecture that CUDA 12 and 13 compile for: "Technical
// specifications per compute capability" of the programming guide.
const (
	maxBlock     = 1024  // threads of a block
	maxRegisters = 65536 // 32-bit registers of a block
	perWarp      = 256   // registers are given to a warp in this unit
	warp         = 32    // threads
)

// blocks holds the block of a launch against what the kernel can be launched with.
func (s *set) blocks(f Finding, block []int, p place) []Finding {
	k := s.kernel(p)
	threads := product(block)
	if len(block) == 0 {
		return nil
	}
	f.Rule, f.Found = "block-size", dims(block)+" threads"
	f.Harm = "the launch fails with CUDA_ERROR_INVALID_VALUE, or CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; a host that does not look goes on with what was in its buffers"
	switch {
	case len(k.ReqThreads) > 0 && !sameDims(k.ReqThreads, block):
		f.Expected, f.Next = "a block of "+dims(k.ReqThreads)+", which the kernel requires", "launch it with that block, or take the requirement out of the source"
		return []Finding{f}
	case len(k.MaxThreads) > 0 && threads > product(k.MaxThreads):
		f.Expected, f.Next = "at most "+strconv.Itoa(product(k.MaxThreads))+" threads, which its launch bounds allow", "launch smaller blocks, or raise __launch_bounds__"
		return []Finding{f}
	case threads > maxBlock:
		f.Expected, f.Next = "at most "+strconv.Itoa(maxBlock)+" threads, which any card allows", "launch smaller blocks"
		return []Finding{f}
	}
	if k.Registers == nil {
		return nil
	}
	warps := (threads + warp - 1) / warp
	if each := (*k.Registers*warp + perWarp - 1) / perWarp * perWarp; each*warps > maxRegisters {
		f.Rule, f.Expected = "block-registers", "at most "+strconv.Itoa(maxRegisters/each*warp)+" threads, for "+strconv.Itoa(*k.Registers)+" registers each"
		f.Next = "launch smaller blocks, or compile with __launch_bounds__(" + strconv.Itoa(threads) + ")"
		return []Finding{f}
	}
	return nil
}

func product(block []int) int {
	n := 1
	for _, b := range block {
		n *= max(b, 1)
	}
	return n
}

func sameDims(a, b []int) bool {
	for i := range 3 {
		if at(a, i) != at(b, i) {
			return false
		}
	}
	return true
}

func at(block []int, i int) int {
	if i < len(block) {
		return max(block[i], 1)
	}
	return 1
}

// dims shows a block: 256, 16×16.
func dims(block []int) string {
	for len(block) > 1 && block[len(block)-1] <= 1 {
		block = block[:len(block)-1]
	}
	var words []string
	for _, b := range block {
		words = append(words, strconv.Itoa(b))
	}
	return strings.Join(words, "×")
}
