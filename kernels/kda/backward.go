package kda

import "fmt"

// Backward is the chunk form's adjoint: the gradient and what passes between
// its two halves.
type Backward struct {
	Grad  Leaves
	DNext [][]Matrix // [B*H][N], gradient [K,V] of the state after chunk n, d_s_next
	DVNew [][]Matrix // [B*H][N], gradient [R,V] of v_new, d_v_new
}

// ChunkBackward runs the adjoint of the chunk form on what [ChunkForward] kept
// of the same problem: first BK2, from chunk to chunk, last to first; then
// BK1, inside each chunk on its own. It returns an error when the problem does
// not pass [Problem.Check] or the forward pass is of another shape.
func ChunkBackward(p *Problem, f *Forward) (*Backward, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if f.shape != p.Shape {
		return nil, fmt.Errorf("run adjoint: the forward pass is of shape %+v, the problem of %+v; run ChunkForward on the problem",
			f.shape, p.Shape)
	}
	b := &Backward{
		Grad:  *NewLeaves(p.Shape),
		DNext: make([][]Matrix, p.Heads()),
		DVNew: make([][]Matrix, p.Heads()),
	}
	for h := range p.Heads() {
		b.between(p, f, h)
		for n := range p.Chunks() {
			b.inside(p, f, h, n)
		}
	}
	return b, nil
}

// between is BK2 for one head: it carries the gradient of the state from the
// last chunk to the first.
func (b *Backward) between(p *Problem, f *Forward, h int) {
	count := p.Chunks()
	b.DNext[h] = make([]Matrix, count)
	b.DVNew[h] = make([]Matrix, count)
	ds := p.DST.head(h)
	for n := count - 1; n >= 0; n-- {
		c := f.Chunks[h][n]
		dOut := p.dOut(h, n)
		b.DNext[h][n] = ds
		dvNew := plus(mulTN(c.Aqk, dOut), mul(c.KGD, ds))
		read := times(p.scale(), mulTN(hadamard(c.q, c.E), dOut))
		ds = minus(plus(diag(c.GLast, ds), read), mulTN(c.W, dvNew))
		b.DVNew[h][n] = dvNew
	}
	copy(b.Grad.State.head(h).Data, ds.Data)
}

// inside is BK1 for chunk n of one head.
func (b *Backward) inside(p *Problem, f *Forward, h, n int) {
	s0 := f.States[h][n]
	d1 := b.DNext[h][n]
	a := newAdjoint(f.Chunks[h][n], p.scale(), p.dOut(h, n), b.DVNew[h][n], s0, d1)
	from, to := p.span(n)
	put := func(t Tensor, m Matrix) { copy(t.head(h).slab(from, to).Data, m.Data) }
	dq := a.query()
	put(b.Grad.Q, dq)
	put(b.Grad.K, a.key())
	put(b.Grad.V, hadamard(a.c.w, a.y))
	put(b.Grad.W, hadamard(a.c.v, a.y))
	put(b.Grad.B, a.erase())
	put(b.Grad.G, suffix(a.decay(dq)))
}

// dOut is the output's gradient in chunk n of head h [R,V].
func (p *Problem) dOut(h, n int) Matrix {
	from, to := p.span(n)
	return p.DOut.head(h).slab(from, to)
}
