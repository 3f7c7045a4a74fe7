package fused

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// Tiles of the ops path, as kda_ops.cu has them: rows, columns or channels.
const (
	opsTile = 16
	opsWide = 64
)

// opsAtOnce is how many elements a block of ops_exp has.
const opsAtOnce = 4 * 4 * threads

// tiling is how a kernel cuts its product up.
type tiling struct {
	kernel              string
	rows, cols, threads int
}

// All chunks at once are blocks enough for large tiles. One chunk of each head is not, 96 of
// them for 132 multiprocessors at the measured size.
var (
	large = tiling{"ops_matmul", opsWide, opsWide, 256}
	low   = tiling{"ops_matmul_low", opsTile, opsWide, 128}
	small = tiling{"ops_matmul_small", opsTile, opsTile, 64}
)

// chain is the ops path as it grows: each method adds the launch of one kernel of
// kda_ops.cu.
type chain struct {
	p     *kda.Problem
	job   launch.Job
	sizes sizes
	known map[string]bool // buffers of the job
	phase string

	first, count int  // chunks of each head that a strided launch covers
	few          bool // it is one of them, by itself
}

func newChain(p *kda.Problem) *chain {
	c := &chain{p: p, sizes: sizesOf(p.Shape), known: map[string]bool{}}
	c.all()
	for _, b := range inputs(p) {
		c.keep(b)
	}
	for _, name := range []string{"d_q", "d_k", "d_g", "d_b"} {
		c.keep(output(name, c.sizes.keys))
	}
	for _, name := range []string{"out", "d_v", "d_w"} {
		c.keep(output(name, c.sizes.values))
	}
	for _, name := range []string{"state_t", "d_state"} {
		c.keep(output(name, c.sizes.cells))
	}
	return c
}

func (c *chain) keep(b launch.Buffer) {
	c.known[b.Name] = true
	c.job.Buffers = append(c.job.Buffers, b)
}

// all and only choose the chunks that the next launches cover.
func (c *chain) all()       { c.first, c.count, c.few = 0, c.p.Chunks(), false }
func (c *chain) only(n int) { c.first, c.count, c.few = n, 1, true }

// view is a matrix for each chunk of each head in a buffer. Distances are in
// elements, and 0 where all share the same ones.
type view struct {
	buffer                string
	size                  int // of the whole buffer, elements
	rows, cols            int // 0: those of the chunk
	from                  int // of the first element
	head, chunk, row, col int // from one to the next
}

// keyed is a tensor [B,H,T,K], valued [B,H,T,V], squares [B,H,N,C,C].
func (c *chain) keyed(name string) view  { return c.rowed(name, c.p.K) }
func (c *chain) valued(name string) view { return c.rowed(name, c.p.V) }

func (c *chain) rowed(name string, cols int) view {
	return view{buffer: name, size: c.p.Heads() * c.p.T * cols, cols: cols, head: c.p.T * cols, chunk: c.p.C * cols, row: cols, col: 1}
}

func (c *chain) squares(name string) view {
	square := c.p.C * c.p.C
	return view{buffer: name, size: c.sizes.pairs, head: c.p.Chunks() * square, chunk: square, row: c.p.C, col: 1}
}

// cells is a state for each chunk [B,H,N,K,V], whole one for each head [B,H,K,V].
func (c *chain) cells(name string) view {
	state := c.p.K * c.p.V
	return view{buffer: name, size: c.sizes.states, rows: c.p.K, cols: c.p.V, head: c.p.Chunks() * state, chunk: state, row: c.p.V, col: 1}
}

func (c *chain) whole(name string) view {
	state := c.p.K * c.p.V
	return view{buffer: name, size: c.sizes.cells, rows: c.p.K, cols: c.p.V, head: state, row: c.p.V, col: 1}
}

// lasts is a number for each key channel of each chunk [B,H,N,K], as a column that
// stands for any number of them.
func (c *chain) lasts(name string) view {
	return view{buffer: name, size: c.sizes.lasts, rows: c.p.K, cols: 1, head: c.p.Chunks() * c.p.K, chunk: c.p.K, row: 1}
}

// transposed is the view with rows and columns exchanged.
func (v view) transposed() view {
	v.rows, v.cols, v.row, v.col = v.cols, v.rows, v.col, v.row
	return v
}

// moved is the view of the matrices of the chunks by further on.
func (v view) moved(by int) view {
	v.from += by * v.chunk
	return v
}

// strided are a view's arguments.
func (v view) strided() []launch.Arg {
	return []launch.Arg{launch.Of(v.buffer),
		launch.I(v.from), launch.I(v.head), launch.I(v.chunk), launch.I(v.row), launch.I(v.col)}
}

// span ends the arguments of a strided kernel.
func (c *chain) span() []launch.Arg {
	return []launch.Arg{launch.I(c.p.T), launch.I(c.p.C), launch.I(c.first), launch.I(c.count)}
}
