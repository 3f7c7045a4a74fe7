package newton

import "math"

// Orthogonalise is the reference: every matrix of the batch on its own, in
// float64. It returns an error when the problem does not pass [Problem.Check].
func Orthogonalise(p *Problem) ([]float64, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	out := make([]float64, 0, len(p.X))
	for i := range p.N {
		out = append(out, p.one(p.Matrix(p.X, i))...)
	}
	return out, nil
}

// one is the iteration on one matrix [D,Cols].
func (p *Problem) one(x []float64) []float64 {
	z := matrix{p.D, p.Cols, x}
	tall := p.D > p.Cols
	if tall {
		z = z.transposed()
	}
	z = z.times(1 / (z.norm() + p.Eps))
	for range Steps {
		z = p.step(z)
	}
	if tall {
		z = z.transposed()
	}
	return z.data
}

// step is a z + (b g + c g g) z with g = z z^T.
func (q Quintic) step(z matrix) matrix {
	g := z.mul(z.transposed())
	poly := g.times(q.B).plus(g.mul(g).times(q.C))
	return z.times(q.A).plus(poly.mul(z))
}

// matrix is dense and row-major.
type matrix struct {
	rows, cols int
	data       []float64
}

func (m matrix) transposed() matrix {
	t := matrix{m.cols, m.rows, make([]float64, len(m.data))}
	for r := range m.rows {
		for c := range m.cols {
			t.data[c*m.rows+r] = m.data[r*m.cols+c]
		}
	}
	return t
}

// mul is m n.
func (m matrix) mul(n matrix) matrix {
	product := matrix{m.rows, n.cols, make([]float64, m.rows*n.cols)}
	for r := range m.rows {
		row := product.data[r*n.cols : (r+1)*n.cols]
		for i := range m.cols {
			x := m.data[r*m.cols+i]
			for c, y := range n.data[i*n.cols : (i+1)*n.cols] {
				row[c] += x * y
			}
		}
	}
	return product
}

func (m matrix) times(s float64) matrix {
	scaled := matrix{m.rows, m.cols, make([]float64, len(m.data))}
	for i, x := range m.data {
		scaled.data[i] = s * x
	}
	return scaled
}

func (m matrix) plus(n matrix) matrix {
	sum := matrix{m.rows, m.cols, make([]float64, len(m.data))}
	for i, x := range m.data {
		sum.data[i] = x + n.data[i]
	}
	return sum
}

// norm is the Frobenius norm.
func (m matrix) norm() float64 {
	sum := 0.0
	for _, x := range m.data {
		sum += x * x
	}
	return math.Sqrt(sum)
}
