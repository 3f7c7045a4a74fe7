package kda

import "math"

// Forward is the chunk form's forward pass with all that its adjoint reads.
type Forward struct {
	Output
	Chunks [][]*Chunk // [B*H][N], N chunks of each head
	States [][]Matrix // [B*H][N+1], the state [K,V] before chunk n; the last is S_T

	shape Shape // of the problem it was run on
}

// Chunk is what the forward pass keeps of one chunk of R rows. The comments
// give the name that kernels use for it, where they use another.
type Chunk struct {
	G     Matrix    // sum of g from the chunk's first row to this one [R,K]
	E     Matrix    // exp(G), gexp [R,K]
	GLast []float64 // exp(G of the last row): an exponential already, glast [K]
	Aqk   Matrix    // masked read of this chunk's own writes, aqk [R,R]
	M     Matrix    // (I + Akk)^-1, m_inv [R,R]
	W     Matrix    // M (b*k*E), w (not the write gate) [R,K]
	U     Matrix    // M (w*v), u [R,V]
	KGD   Matrix    // k decayed to the end of the chunk, kgd [R,K]
	VNew  Matrix    // what is written, v_new [R,V]

	rows
}

// rows are the inputs of one chunk, sharing memory with the problem.
type rows struct {
	q, k, g, b Matrix // [R,K]
	v, w       Matrix // [R,V]
}

// ChunkForward runs the op chunk by chunk. It returns an error when the
// problem does not pass [Problem.Check].
func ChunkForward(p *Problem) (*Forward, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	f := &Forward{
		Output: Output{Out: NewTensor(p.valued()), Final: NewTensor(p.stateful())},
		Chunks: make([][]*Chunk, p.Heads()),
		States: make([][]Matrix, p.Heads()),
		shape:  p.Shape,
	}
	for h := range p.Heads() {
		f.head(p, h)
	}
	return f, nil
}

// head carries the state of one head through its chunks.
func (f *Forward) head(p *Problem, h int) {
	state := p.In.State.head(h)
	f.States[h] = append(f.States[h], state)
	for n := range p.Chunks() {
		from, to := p.span(n)
		c := newChunk(p.rows(h, from, to), p.scale(), state)
		copy(f.Out.head(h).slab(from, to).Data, c.out(p.scale(), state).Data)
		state = c.after(state)
		f.Chunks[h] = append(f.Chunks[h], c)
		f.States[h] = append(f.States[h], state)
	}
	copy(f.Final.head(h).Data, state.Data)
}

func (p *Problem) rows(h, from, to int) rows {
	cut := func(t Tensor) Matrix { return t.head(h).slab(from, to) }
	return rows{
		q: cut(p.In.Q), k: cut(p.In.K), g: cut(p.In.G), b: cut(p.In.B),
		v: cut(p.In.V), w: cut(p.In.W),
	}
}

func newChunk(in rows, scale float64, s0 Matrix) *Chunk {
	c := &Chunk{rows: in, G: cumulate(in.g)}
	c.E = each(c.G.Rows, c.G.Cols, func(r, d int) float64 { return math.Exp(c.G.At(r, d)) })
	c.GLast = c.E.Row(c.E.Rows - 1)
	last := c.G.Row(c.G.Rows - 1)
	c.KGD = each(c.G.Rows, c.G.Cols, func(r, d int) float64 {
		return c.k.At(r, d) * math.Exp(last[d]-c.G.At(r, d))
	})
	c.Aqk = times(scale, c.scores(c.q, 0))
	c.M = inverse(c.scores(hadamard(c.b, c.k), 1))
	c.U = mul(c.M, hadamard(c.w, c.v))
	c.W = mul(c.M, hadamard(hadamard(c.b, c.k), c.E))
	c.VNew = minus(c.U, mul(c.W, s0))
	return c
}

// scores is sum_d x_i k_j P_ij for rows j at least below rows under i, and 0
// elsewhere.
func (c *Chunk) scores(x Matrix, below int) Matrix {
	return each(x.Rows, x.Rows, func(i, j int) float64 {
		if j > i-below {
			return 0
		}
		sum := 0.0
		for d := range x.Cols {
			sum += x.At(i, d) * c.k.At(j, d) * c.pair(i, j, d)
		}
		return sum
	})
}

// pair is P_ij = exp(G_i - G_j) in channel d for j <= i, never above 1. A
// product of exp(G_i) and exp(-G_j) would overflow: float32 at C = 64 and g
// of -5, float64 at C = 192 and g of -8.
func (c *Chunk) pair(i, j, d int) float64 {
	return math.Exp(c.G.At(i, d) - c.G.At(j, d))
}

// out is the chunk's output [R,V]: what the state before it holds, then what
// the chunk itself writes.
func (c *Chunk) out(scale float64, s0 Matrix) Matrix {
	return plus(times(scale, mul(hadamard(c.q, c.E), s0)), mul(c.Aqk, c.VNew))
}

// after is the state behind the chunk [K,V].
func (c *Chunk) after(s0 Matrix) Matrix {
	return plus(diag(c.GLast, s0), mulTN(c.KGD, c.VNew))
}

// cumulate sums each column from the first row down.
func cumulate(m Matrix) Matrix {
	sum := make([]float64, m.Cols)
	return each(m.Rows, m.Cols, func(r, c int) float64 {
		sum[c] += m.At(r, c)
		return sum[c]
	})
}
