package fused

import (
	"slices"

	"gpuci/kernels/launch"
)

// mul is out = a b, element by element.
func (c *chain) mul(a, b, out view) {
	c.quads("ops_mul", out, a.strided(), b.strided(), out.strided(), out.extent(), c.span())
}

// add is out = alpha a + beta b.
func (c *chain) add(alpha float64, a view, beta float64, b, out view) {
	c.quads("ops_add", out, a.strided(), factor(alpha), b.strided(), factor(beta), out.strided(), out.extent(), c.span())
}

// copy is out = a.
func (c *chain) copy(a, out view) {
	c.quads("ops_copy", out, a.strided(), out.strided(), out.extent(), c.span())
}

// mask keeps alpha a from below columns left of the diagonal on.
func (c *chain) mask(alpha float64, a view, below int, out view) {
	c.quads("ops_mask", out, a.strided(), out.strided(), factor(alpha), ints(below), c.span())
}

// matmul is out = alpha a b.
func (c *chain) matmul(alpha float64, a, b, out view) {
	by := c.tiling(out)
	c.launch(by.kernel, out,
		[3]int{c.blocks(), c.tiles(out.rows, by.rows), c.tiles(out.cols, by.cols)}, [3]int{by.threads, 1, 1},
		a.strided(), b.strided(), out.strided(), factor(alpha), out.extent(), ints(a.cols), c.span())
}

// tiling is the largest that the product fills. One chunk of each head is cut into tiles of
// 16 rows, and of 16 columns where that alone makes no more blocks.
func (c *chain) tiling(out view) tiling {
	rows, cols := c.extent(out.rows), c.extent(out.cols)
	switch {
	case cols <= opsTile, c.few && rows <= opsTile:
		return small
	case rows <= opsTile, c.few:
		return low
	default:
		return large
	}
}

// sum is out = the sum over a's columns, by the kernel for the way that a's elements
// follow each other.
func (c *chain) sum(a, out view) {
	kernel, grid, block := "ops_sum", c.tiles(a.rows, opsWide), threads
	if a.col != 1 {
		kernel = "ops_sum_lines"
		grid, block = spread(c.tiles(a.rows, 4))
	}
	c.launch(kernel, out, [3]int{c.blocks(), grid, 1}, [3]int{block, 1, 1},
		a.strided(), out.strided(), a.extent(), c.span())
}

// exp is out = exp(a), all of it at once.
func (c *chain) exp(a, out view) {
	grid := [3]int{(a.size + opsAtOnce - 1) / opsAtOnce, 1, 1}
	c.launch("ops_exp", out, grid, [3]int{threads, 1, 1}, c.of(a, out), ints(a.size))
}

// last is the last row of each chunk of its operand.
func (c *chain) last(out, of view) { c.rowwise("ops_last", c.p.K, out, of) }

// running is a kernel that adds up the rows of each chunk of its operands, a thread for
// four channels.
func (c *chain) running(kernel string, out view, from ...view) {
	c.rowwise(kernel, c.tiles(c.p.K, 4), out, from...)
}

// rowwise is a kernel with so many threads for a chunk.
func (c *chain) rowwise(kernel string, count int, out view, from ...view) {
	grid, block := spread(count)
	c.launch(kernel, out, [3]int{c.blocks(), grid, 1}, [3]int{block, 1, 1},
		c.of(append(from, out)...), ints(c.p.T, c.p.K, c.p.C))
}

// score is out = alpha x k^T with the decay between the two rows, masked.
func (c *chain) score(alpha float64, x string, below int, out view) {
	tiles := c.tiles(c.p.C, opsTile)
	c.launch("ops_scores", out, [3]int{c.blocks(), tiles, tiles}, [3]int{opsTile * opsTile, 1, 1},
		c.of(c.keyed(x), c.keyed("k"), c.keyed("gcum"), out), factor(alpha), ints(below, c.p.T, c.p.K, c.p.C))
}

// pairSums is ops_row_sums or ops_col_sums of m with the rows of z.
func (c *chain) pairSums(kernel, m, z, out string) {
	grid := [3]int{c.blocks(), c.tiles(c.p.C, opsTile), c.tiles(c.p.K, opsWide)}
	c.launch(kernel, c.keyed(out), grid, [3]int{opsWide, 1, 1},
		c.of(c.squares(m), c.keyed(z), c.keyed("gcum"), c.keyed(out)), ints(c.p.T, c.p.K, c.p.C))
}

// inverse is out = (I + a)^-1.
func (c *chain) inverse(a, out view) {
	grid, block := spread(c.p.C)
	c.launch("ops_inverse", out, [3]int{c.blocks(), grid, 1}, [3]int{block, 1, 1}, c.of(a, out), ints(c.p.T, c.p.C))
}

// quads launches a kernel with a thread for four elements of a row of out.
func (c *chain) quads(kernel string, out view, args ...[]launch.Arg) {
	grid, block := spread(c.extent(out.rows) * c.tiles(out.cols, 4))
	c.launch(kernel, out, [3]int{c.blocks(), grid, 1}, [3]int{block, 1, 1}, args...)
}

// spread is blocks and threads for so many of a chunk: no more warps than have something
// to do, as a block of idle ones is waited for like any other.
func spread(count int) (grid, block int) {
	block = min(threads, (count+31)/32*32)
	return (count + block - 1) / block, block
}

// tiles is how many of a size cover a number of rows or columns.
func (c *chain) tiles(n, size int) int { return (c.extent(n) + size - 1) / size }

// launch adds a launch, and the buffer of its result where it is new.
func (c *chain) launch(kernel string, out view, grid, block [3]int, args ...[]launch.Arg) {
	if !c.known[out.buffer] {
		c.keep(launch.Buffer{Name: out.buffer, Count: out.size, Role: launch.Scratch})
	}
	c.job.Launches = append(c.job.Launches, launch.Launch{
		Kernel: kernel, Grid: grid, Block: block, Args: slices.Concat(args...), Phase: c.phase,
	})
}

// blocks is the number of chunks over all heads that a launch covers.
func (c *chain) blocks() int { return c.p.Heads() * c.count }

// extent is a number of rows or columns with 0, those of the chunk, filled in.
func (c *chain) extent(n int) int {
	if n == 0 {
		return c.p.C
	}
	return n
}

// extent is what a kernel is told of a view's rows and columns.
func (v view) extent() []launch.Arg { return ints(v.rows, v.cols) }

// of are pointers to the buffers of views.
func (c *chain) of(views ...view) []launch.Arg {
	var args []launch.Arg
	for _, v := range views {
		args = append(args, launch.Of(v.buffer))
	}
	return args
}

func ints(ns ...int) []launch.Arg {
	var args []launch.Arg
	for _, n := range ns {
		args = append(args, launch.I(n))
	}
	return args
}

func factor(x float64) []launch.Arg { return []launch.Arg{launch.F(float32(x))} }
