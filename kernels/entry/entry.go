// Package entry is what can be known of a kernel without launching it: the words
// that kernels/cubin and kernels/ptx answer in, and that the checks ask in.
//
// It promises that what was not found out is told from what is none: a number that
// is not known is nil, and never 0.
package entry

// Module is one unit of device code, as the driver loads it.
type Module struct {
	File    string   `json:"file"`              // as it can be opened from where it was named
	Below   string   `json:"-"`                 // of a file that was found in a directory: from there, as files of two are paired
	Part    string   `json:"part,omitempty"`    // which of several in that file; "" where it is all of it
	Kind    string   `json:"kind"`              // "cubin" or "ptx"
	Arch    string   `json:"arch"`              // "sm_90", "sm_90a"; of PTX, its .target
	Toolkit string   `json:"toolkit,omitempty"` // "13.0"; of PTX "", whose version is another count
	Tool    string   `json:"tool,omitempty"`    // what made it, with its build, where it says so
	Flags   string   `json:"flags,omitempty"`   // and with which options
	Kernels []Kernel `json:"kernels"`

	ToLink bool `json:"to-link,omitempty"` // made with -rdc=true: nvlink is still to put it together with what others bring

	DataHash string `json:"data-hash,omitempty"` // of the variables and functions that its kernels share; "": not known

	Unread []string `json:"unread,omitempty"` // what of it could not be read, and why
}

// Kernel is one entry of a module.
type Kernel struct {
	Name     string `json:"name"`               // as the driver looks it up
	Readable string `json:"readable,omitempty"` // demangled, where that is another name

	Params      []Param `json:"params"`                // by ordinal
	ParamsKnown bool    `json:"params-known"`          // false: the count is not known, though Params is empty
	ParamBytes  *int    `json:"param-bytes,omitempty"` // of the parameter block

	Registers   *int `json:"registers,omitempty"`    // 32-bit registers of a thread
	Stack       *int `json:"stack,omitempty"`        // bytes of local memory of a thread, with what it calls where that is known; of what calls itself often nil
	SpillStores *int `json:"spill-stores,omitempty"` // bytes, as ptxas counts them, of the kernel and of every function that it calls and that was compiled with it
	SpillLoads  *int `json:"spill-loads,omitempty"`  // the same
	CallsOut    bool `json:"calls-out,omitempty"`    // of a cubin: it calls functions that were compiled apart, and whose spills are nobody's here
	Shared      *int `json:"shared,omitempty"`       // bytes of static shared memory of a block
	Barriers    *int `json:"barriers,omitempty"`
	Code        *int `json:"code,omitempty"` // bytes of instructions

	CodeHash string `json:"code-hash,omitempty"` // of all that it runs, with its constants and what it calls; of PTX, of its text; "": not known

	MaxThreads []int `json:"max-threads,omitempty"` // of a block, in x, y and z: what __launch_bounds__ or .maxntid allow
	ReqThreads []int `json:"req-threads,omitempty"` // the only block that may be launched
	MinBlocks  int   `json:"min-blocks,omitempty"`  // blocks that are to fit on a multiprocessor, 0: not said

	Cluster    []int `json:"cluster,omitempty"`          // blocks of a cluster in x, y and z, where the kernel fixes them
	InClusters bool  `json:"in-clusters,omitempty"`      // it can only be launched in clusters, of a size that it or the launch says
	MaxCluster int   `json:"max-cluster-rank,omitempty"` // the most blocks that a cluster may have, 0: not said

	Atomics      []Atomic `json:"float-atomics,omitempty"`
	AtomicsKnown bool     `json:"float-atomics-known"`         // false: there may be others than these
	AtomicsWhy   string   `json:"float-atomics-why,omitempty"` // why they are not known, in words that follow "not known: "
}

// Param is one parameter of a kernel.
type Param struct {
	Ordinal int    `json:"ordinal"`
	Offset  int    `json:"offset"`          // bytes from the start of the parameter block
	Size    int    `json:"size"`            // bytes
	Align   int    `json:"align,omitempty"` // bytes, of PTX alone
	Type    string `json:"type,omitempty"`  // as PTX says it: "u64", "f32", "b8[60]"; "" in a cubin
}

// Atomic is an instruction that adds floating-point numbers in memory in an order
// that nobody has fixed.
type Atomic struct {
	Op    string `json:"op"`               // as it stands there: "red.global.add.f32"; of a loop of compare-and-swap that adds, "ATOMS.CAS of FADD"
	Count int    `json:"count"`            // how often
	Line  int    `json:"line,omitempty"`   // of PTX, the first one's, from 1
	At    int    `json:"offset,omitempty"` // of a cubin, the first one's, bytes from the start of the kernel, or of In
	In    string `json:"in,omitempty"`     // the function that the kernel calls and that has the first one, "": the kernel itself
}
