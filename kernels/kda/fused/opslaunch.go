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
	kernel, wide := "ops_matmul", opsWide
	if c.extent(out.cols) <= opsTile {
		kernel, wide = "ops_matmul_narrow", opsTile
	}
	c.launch(kernel, out,
		[3]int{c.blocks(), c.tiles(out.rows, opsTile), c.tiles(out.cols, wide)}, [3]int{opsThreads, 1, 1},
		a.strided(), b.strided(), out.strided(), factor(alpha), out.extent(), ints(a.cols), c.span())
}

// sum is out = the sum over a's columns.
func (c *chain) sum(a, out view) {
	c.launch("ops_sum", out, [3]int{c.blocks(), c.tiles(a.rows, opsWide), 1}, [3]int{opsWide, 1, 1},
		a.strided(), out.strided(), a.extent(), c.span())
}

// exp is out = exp(a), all of it at once.
func (c *chain) exp(a, out view) {
	grid := [3]int{1, (a.size + threads - 1) / threads, 1}
	c.launch("ops_exp", out, grid, [3]int{threads, 1, 1}, c.of(a, out), ints(a.size))
}

// rowwise is a kernel that walks the rows of each chunk of its operands, a thread for
// each channel.
func (c *chain) rowwise(kernel string, out view, from ...view) {
	grid := [3]int{c.blocks(), (c.p.K + threads - 1) / threads, 1}
	c.launch(kernel, out, grid, [3]int{threads, 1, 1}, c.of(append(from, out)...), ints(c.p.T, c.p.K, c.p.C))
}

// score is out = alpha x k^T with the decay between the two rows, masked.
func (c *chain) score(alpha float64, x string, below int, out view) {
	tiles := c.tiles(c.p.C, opsTile)
	c.launch("ops_scores", out, [3]int{c.blocks(), tiles, tiles}, [3]int{opsTile, opsTile, 1},
		c.of(c.keyed(x), c.keyed("k"), c.keyed("gcum"), out), factor(alpha), ints(below, c.p.T, c.p.K, c.p.C))
}

// pairSums is ops_row_sums or ops_col_sums of m with the rows of z.
func (c *chain) pairSums(kernel, m, z, out string) {
	c.elements(kernel, c.keyed(out),
		c.of(c.squares(m), c.keyed(z), c.keyed("gcum"), c.keyed(out)), ints(c.p.T, c.p.K, c.p.C))
}

// inverse is out = (I + a)^-1.
func (c *chain) inverse(a, out view) {
	grid := [3]int{c.blocks(), (c.p.C + threads - 1) / threads, 1}
	c.launch("ops_inverse", out, grid, [3]int{min(threads, (c.p.C+31)/32*32), 1, 1}, c.of(a, out), ints(c.p.T, c.p.C))
}

// elements launches a kernel with a thread for each element of out in a chunk.
func (c *chain) elements(kernel string, out view, args ...[]launch.Arg) {
	count := c.extent(out.rows) * c.extent(out.cols)
	grid := [3]int{c.blocks(), (count + threads - 1) / threads, 1}
	c.launch(kernel, out, grid, [3]int{threads, 1, 1}, args...)
}

// quads launches a kernel with a thread for four elements of a row of out.
func (c *chain) quads(kernel string, out view, args ...[]launch.Arg) {
	count := c.extent(out.rows) * ((c.extent(out.cols) + 3) / 4)
	grid := [3]int{c.blocks(), (count + threads - 1) / threads, 1}
	c.launch(kernel, out, grid, [3]int{threads, 1, 1}, args...)
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
