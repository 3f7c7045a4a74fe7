package launch

// Kind is what is wrong.
type Kind string

// The kinds of findings.
const (
	Race          Kind = "race"          // two threads on one word, nothing between them orders them, at least one writes
	Uninitialised Kind = "uninitialised" // a word was read that nobody had written
	OutOfBounds   Kind = "out-of-bounds" // an access beyond a buffer, or beyond the shared memory that the launch asked for
	Unwritten     Kind = "unwritten"     // elements of an output that no launch wrote
	Rewritten     Kind = "rewritten"     // an element of an output was written more than once in one launch, or an input was written

	DivergentBarrier Kind = "divergent-barrier" // threads of a block or lanes of a warp met at different barriers
	Deadlock         Kind = "deadlock"          // threads wait for threads that never come
)

// Finding is something wrong that a backend saw. What was seen of the same kind at
// the same lines is one finding, of the first time, with a count.
type Finding struct {
	Kind   Kind
	Kernel string // of the launch; "" where none is known, as of Unwritten
	File   string // base name of the source file; "" where it is not known
	Line   int    // 0 where it is not known
	Block  [3]int

	// Threads are those it was seen of: of a race first the one that came later,
	// at File and Line, then the other.
	Threads [][3]int

	// Of a race, Other is the other thread's place; of a divergent barrier and a
	// deadlock, where other threads wait.
	Other Place

	Memory string // "shared+128" (bytes), "out[2048]" (elements); "" where no memory is concerned
	Count  int    // how often, at least 1; of Unwritten the number of elements
	Text   string // all of it in one line for people
}

// Place is where in the source, and which block.
type Place struct {
	File  string
	Line  int
	Block [3]int
}
