package config

import (
	"fmt"
	"strconv"
)

// KernelLimits are what one kernel may take at most; nil is as much as it likes.
type KernelLimits struct {
	Registers *int // 32-bit registers of a thread
	Spill     *int // bytes of a thread, of spill stores or loads, whichever are more
	Shared    *int // bytes of static shared memory of a block
	Stack     *int // bytes of local memory of a thread
}

// KernelBudget is the limits of the kernels that a pattern names.
type KernelBudget struct {
	Kernel string // a name, or a pattern with *
	KernelLimits
	Line int // in gpuci.toml
}

// KernelLaunch is what a host passes to a kernel.
type KernelLaunch struct {
	Kernel string
	Module string   // pattern of files; "" is all
	Args   []string // types ("u32", "f32", "pointer") or sizes in bytes ("60")
	Block  []int    // threads in x, y and z; none where it is not said
	Line   int      // in gpuci.toml
}

// KernelGraph is a captured graph: the entries it holds, and those of them that are
// launched beside it.
type KernelGraph struct {
	Name             string
	Entries, Outside []string
	Line             int // in gpuci.toml
}

// The most of each that any card has: registers of a thread; bytes of shared memory
// of a block, with room for cards to come; bytes of local memory of a thread.
const (
	maxRegisters = 255
	maxShared    = 1 << 20
	maxLocal     = 512 << 10
)

func (f *fields) kernelLimits(k *KernelLimits) {
	f.limit("max-registers", "128", maxRegisters, &k.Registers)
	f.bytesLimit("max-spill-bytes", maxLocal, &k.Spill)
	f.bytesLimit("max-shared", maxShared, &k.Shared)
	f.bytesLimit("max-stack", maxLocal, &k.Stack)
	for _, key := range []string{"max-spill", "max-spills"} {
		if e := f.table.get(key); e != nil {
			f.reported = append(f.reported, key)
			f.add(e.span, `did you mean "max-spill-bytes"?`, "unknown key %s in %s", quoted(key), f.label)
		}
	}
}

// limit reads a whole number that may be 0.
func (f *fields) limit(key, example string, most int, into **int) {
	n, _ := strconv.Atoi(example)
	if f.whole(key, 0, most, &n) != nil {
		*into = &n
	}
}

// bytesLimit reads a number of bytes that may be 0: 4096, or "4KiB".
func (f *fields) bytesLimit(key string, most int, into **int) {
	if e := f.table.get(key); e != nil && e.value.kind == isInteger {
		f.limit(key, "0", most, into)
		return
	}
	var n int64
	e := f.size(key, &n)
	switch {
	case e == nil:
	case n > int64(most):
		f.bad(e, fmt.Sprintf(`write %s = "%dKiB" or less`, key, most>>10), "is more than any card has")
	default:
		bytes := int(n)
		*into = &bytes
	}
}

func (f *fields) budgets(k *KernelSet) {
	for _, table := range f.tables("budget") {
		t := f.fields(f.place.in("budget"), "[[kernels.budget]]", table)
		b := KernelBudget{Line: f.line(table.span.from)}
		t.need("kernel", `"scan_*"`)
		t.text("kernel", `"scan_*"`, &b.Kernel)
		t.kernelLimits(&b.KernelLimits)
		if b.KernelLimits == (KernelLimits{}) && len(table.keys) < 2 {
			t.add(table.span, "add max-registers = 128, max-spill-bytes = 0, max-shared or max-stack", "%s limits nothing", t.label)
		}
		t.done()
		k.Budgets = append(k.Budgets, b)
	}
}

func (f *fields) launches(k *KernelSet) {
	for _, table := range f.tables("launch") {
		t := f.fields(f.place.in("launch"), "[[kernels.launch]]", table)
		n := KernelLaunch{Line: f.line(table.span.from)}
		t.need("kernel", `"scan_fwd"`)
		t.text("kernel", `"scan_fwd"`, &n.Kernel)
		t.text("module", `"*.sm_90.cubin"`, &n.Module)
		t.need("args", `["pointer", "pointer", "u32"]`)
		n.Args = t.names("args", `["pointer", "pointer", "u32"]`)
		t.block(&n)
		t.done()
		k.Launches = append(k.Launches, n)
	}
}

// maxBlock is the most threads a block can have on any card.
const maxBlock = 1024

// block reads threads in one to three directions.
func (f *fields) block(n *KernelLaunch) {
	e := f.take("block")
	if e == nil {
		return
	}
	const example = "block = [256]"
	if e.value.kind != isArray || len(e.value.items) == 0 || len(e.value.items) > 3 {
		f.wrong(e, "one to three whole numbers", example)
		return
	}
	threads := 1
	for _, item := range e.value.items {
		d, err := strconv.Atoi(item.text)
		if item.kind != isInteger || err != nil || d < 1 || d > maxBlock {
			f.add(item.span, "write "+example, "%q in %s must hold whole numbers from 1 to %d", e.key, f.label, maxBlock)
			return
		}
		n.Block = append(n.Block, d)
		threads *= d
	}
	if threads > maxBlock {
		f.bad(e, "write "+example, "is %d threads, and no card has more than %d in a block", threads, maxBlock)
	}
	f.note(e)
}

func (f *fields) graphs(k *KernelSet) {
	for _, table := range f.tables("graph") {
		t := f.fields(f.place.in("graph"), "[[kernels.graph]]", table)
		g := KernelGraph{Line: f.line(table.span.from)}
		t.need("name", `"step"`)
		t.title("name", `"step"`, &g.Name)
		t.need("entries", `["scan_fwd", "scan_bwd"]`)
		g.Entries = t.names("entries", `["scan_fwd", "scan_bwd"]`)
		g.Outside = t.names("outside", `["scan_fwd"]`)
		t.done()
		k.Graphs = append(k.Graphs, g)
	}
}
