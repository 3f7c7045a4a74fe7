package kda

import "math"

// adjoint is the work of BK1 on one chunk of R rows.
type adjoint struct {
	c      *Chunk
	scale  float64
	dOut   Matrix // gradient of the output [R,V]
	s0     Matrix // state before the chunk [K,V]
	d1     Matrix // gradient of the state after the chunk [K,V]
	dHat   Matrix // v_new D1^T, gradient of kgd [R,K]
	toLast Matrix // exp(L - G), decay from the row to the chunk's end [R,K]
	x      Matrix // M^T dW, gradient of b*k*E [R,K]
	y      Matrix // M^T d_v_new, gradient of w*v [R,V]
	pairs         // the sums over pairs of rows
}

// pairs are the four masked sums over pairs of rows, all [R,K].
type pairs struct {
	qRow Matrix // sum over j <= r of dAqk_rj k_j P_rj
	qCol Matrix // sum over i >= r of dAqk_ir q_i P_ir
	kRow Matrix // sum over j < r of dAkk_rj k_j P_rj
	kCol Matrix // sum over i > r of dAkk_ir b_i k_i P_ir
}

func newAdjoint(c *Chunk, scale float64, dOut, dvNew, s0, d1 Matrix) *adjoint {
	a := &adjoint{c: c, scale: scale, dOut: dOut, s0: s0, d1: d1}
	last := c.G.Row(c.G.Rows - 1)
	a.dHat = mulNT(c.VNew, d1)
	a.toLast = each(c.G.Rows, c.G.Cols, func(r, d int) float64 { return math.Exp(last[d] - c.G.At(r, d)) })
	dW := times(-1, mulNT(dvNew, s0))
	a.x = mulTN(c.M, dW)
	a.y = mulTN(c.M, dvNew)
	dAqk := lower(mulNT(dOut, c.VNew), 0)
	dAkk := lower(times(-1, plus(mulNT(a.x, c.W), mulNT(a.y, c.U))), 1)
	a.pairs = pairs{
		qRow: c.rowSums(dAqk, c.k),
		qCol: c.colSums(dAqk, c.q),
		kRow: c.rowSums(dAkk, c.k),
		kCol: c.colSums(dAkk, hadamard(c.b, c.k)),
	}
	return a
}

// rowSums is sum_j m_rj z_j P_rj for every row r of a lower triangular m.
func (c *Chunk) rowSums(m, z Matrix) Matrix {
	return each(z.Rows, z.Cols, func(r, d int) float64 {
		sum := 0.0
		for j := range r + 1 {
			sum += m.At(r, j) * z.At(j, d) * c.pair(r, j, d)
		}
		return sum
	})
}

// colSums is sum_i m_ir z_i P_ir for every column r of a lower triangular m.
func (c *Chunk) colSums(m, z Matrix) Matrix {
	return each(z.Rows, z.Cols, func(r, d int) float64 {
		sum := 0.0
		for i := r; i < z.Rows; i++ {
			sum += m.At(i, r) * z.At(i, d) * c.pair(i, r, d)
		}
		return sum
	})
}

// query is dq.
func (a *adjoint) query() Matrix {
	read := hadamard(a.c.E, mulNT(a.dOut, a.s0))
	return times(a.scale, plus(read, a.qRow))
}

// key is dk: from kgd, from W, then from the key and the query side of the
// pairs.
func (a *adjoint) key() Matrix {
	return each(a.x.Rows, a.x.Cols, func(r, d int) float64 {
		b := a.c.b.At(r, d)
		sum := a.dHat.At(r, d) * a.toLast.At(r, d)
		sum += b * a.c.E.At(r, d) * a.x.At(r, d)
		sum += a.scale * a.qCol.At(r, d)
		sum += b*a.kRow.At(r, d) + a.kCol.At(r, d)
		return sum
	})
}

// erase is db.
func (a *adjoint) erase() Matrix {
	return each(a.x.Rows, a.x.Cols, func(r, d int) float64 {
		return a.c.k.At(r, d) * (a.c.E.At(r, d)*a.x.At(r, d) + a.kRow.At(r, d))
	})
}

// decay is dG, the gradient of the sums of g; dq is the result of query.
func (a *adjoint) decay(dq Matrix) Matrix {
	end := a.x.Rows - 1
	return each(a.x.Rows, a.x.Cols, func(r, d int) float64 {
		k, bk := a.c.k.At(r, d), a.c.b.At(r, d)*a.c.k.At(r, d)
		sum := a.c.q.At(r, d) * dq.At(r, d)
		sum += bk * a.c.E.At(r, d) * a.x.At(r, d)
		sum -= a.dHat.At(r, d) * k * a.toLast.At(r, d)
		sum += bk * a.kRow.At(r, d)
		sum -= k * (a.scale*a.qCol.At(r, d) + a.kCol.At(r, d))
		if r == end {
			sum += a.lastKey(d) + a.lastState(d)
		}
		return sum
	})
}

// lastKey is what kgd adds to dG of the last row, where L = G stands in every
// row's decay to the chunk's end.
func (a *adjoint) lastKey(d int) float64 {
	sum := 0.0
	for r := range a.x.Rows {
		sum += a.dHat.At(r, d) * a.c.k.At(r, d) * a.toLast.At(r, d)
	}
	return sum
}

// lastState is what the decay of the incoming state adds to dG of the last
// row. GLast is an exponential, so it is its own derivative.
func (a *adjoint) lastState(d int) float64 {
	sum := 0.0
	for v := range a.s0.Cols {
		sum += a.d1.At(d, v) * a.s0.At(d, v)
	}
	return a.c.GLast[d] * sum
}

// lower keeps the elements at least below rows under the diagonal.
func lower(m Matrix, below int) Matrix {
	return each(m.Rows, m.Cols, func(r, c int) float64 {
		if c > r-below {
			return 0
		}
		return m.At(r, c)
	})
}

// suffix sums each column from the last row up.
func suffix(m Matrix) Matrix {
	sums := Matrix{Rows: m.Rows, Cols: m.Cols, Data: make([]float64, len(m.Data))}
	running := make([]float64, m.Cols)
	for r := m.Rows - 1; r >= 0; r-- {
		for c := range m.Cols {
			running[c] += m.At(r, c)
			sums.Data[r*m.Cols+c] = running[c]
		}
	}
	return sums
}
