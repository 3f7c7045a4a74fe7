package launch

// Job is a list of launches over named buffers. They run one after the other, each
// seeing what those before it wrote, as in one CUDA stream.
type Job struct {
	Buffers  []Buffer
	Launches []Launch

	// Order is the seed by which a backend that can chooses the order of threads
	// between two barriers, anew in each interval, and that of blocks. 0 is
	// ascending. A right kernel gives the same bits for every order.
	Order uint64
}

// Role is what a buffer is for.
type Role string

// The roles of buffers.
const (
	Input   Role = "input"   // has Data; kernels only read it
	Output  Role = "output"  // every element is to be written, once in a launch that writes it
	Scratch Role = "scratch" // need not be written
)

// Buffer is an allocation of its own in the memory of the device.
type Buffer struct {
	Name  string
	Count int // elements of float32
	Role  Role

	// Data is what stands in it before the first launch; nil: nobody has written
	// it yet, so that every element is NaN. Input has it, others may.
	Data []float32
}

// Launch is one kernel launch.
type Launch struct {
	Kernel string // the name of an extern "C" entry
	Grid   [3]int // blocks in x, y, z, each from 1
	Block  [3]int // threads in x, y, z, each from 1, at most 1,024 in all
	Shared int    // dynamic shared memory, bytes
	Args   []Arg  // as many as the entry has parameters
	Phase  string // what it belongs to, such as "forward" or "backward"; launches are counted by it
}

// Arg is one argument of a kernel: exactly one of its fields is set.
type Arg struct {
	Buffer string // its name; the kernel is given the address of its first element
	Int    *int32
	Float  *float32
}

// Of is the argument that points to the buffer of that name.
func Of(buffer string) Arg { return Arg{Buffer: buffer} }

// I is an int argument. It panics when n is not an int32: a length that does not
// fit must not become another length.
func I(n int) Arg {
	v := int32(n)
	if int(v) != n {
		panic("launch.I: argument beyond int32")
	}
	return Arg{Int: &v}
}

// F is a float argument.
func F(x float32) Arg { return Arg{Float: &x} }

// Threads is the number of threads in a block.
func (l Launch) Threads() int { return l.Block[0] * l.Block[1] * l.Block[2] }

// Blocks is the number of blocks.
func (l Launch) Blocks() int { return l.Grid[0] * l.Grid[1] * l.Grid[2] }
