package kda

// Matrix is a dense row-major matrix.
type Matrix struct {
	Rows, Cols int
	Data       []float64 // Rows*Cols values, row by row
}

// At is the element of row r and column c.
func (m Matrix) At(r, c int) float64 { return m.Data[r*m.Cols+c] }

// Row is row r, sharing memory with the matrix.
func (m Matrix) Row(r int) []float64 { return m.Data[r*m.Cols : (r+1)*m.Cols] }

// slab is the rows [from, to), sharing memory with the matrix.
func (m Matrix) slab(from, to int) Matrix {
	return Matrix{Rows: to - from, Cols: m.Cols, Data: m.Data[from*m.Cols : to*m.Cols]}
}

// each builds a matrix from a formula for its elements.
func each(rows, cols int, f func(r, c int) float64) Matrix {
	m := Matrix{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
	for r := range rows {
		for c := range cols {
			m.Data[r*cols+c] = f(r, c)
		}
	}
	return m
}

// mul is a b.
func mul(a, b Matrix) Matrix {
	return each(a.Rows, b.Cols, func(r, c int) float64 {
		sum := 0.0
		for i := range a.Cols {
			sum += a.At(r, i) * b.At(i, c)
		}
		return sum
	})
}

// mulTN is a^T b.
func mulTN(a, b Matrix) Matrix {
	return each(a.Cols, b.Cols, func(r, c int) float64 {
		sum := 0.0
		for i := range a.Rows {
			sum += a.At(i, r) * b.At(i, c)
		}
		return sum
	})
}

// mulNT is a b^T.
func mulNT(a, b Matrix) Matrix {
	return each(a.Rows, b.Rows, func(r, c int) float64 {
		sum := 0.0
		for i := range a.Cols {
			sum += a.At(r, i) * b.At(c, i)
		}
		return sum
	})
}

// hadamard is the product element by element.
func hadamard(a, b Matrix) Matrix {
	return each(a.Rows, a.Cols, func(r, c int) float64 { return a.At(r, c) * b.At(r, c) })
}

// plus is a + b.
func plus(a, b Matrix) Matrix {
	return each(a.Rows, a.Cols, func(r, c int) float64 { return a.At(r, c) + b.At(r, c) })
}

// minus is a - b.
func minus(a, b Matrix) Matrix {
	return each(a.Rows, a.Cols, func(r, c int) float64 { return a.At(r, c) - b.At(r, c) })
}

// times is s a.
func times(s float64, a Matrix) Matrix {
	return each(a.Rows, a.Cols, func(r, c int) float64 { return s * a.At(r, c) })
}

// diag is diag(v) a.
func diag(v []float64, a Matrix) Matrix {
	return each(a.Rows, a.Cols, func(r, c int) float64 { return v[r] * a.At(r, c) })
}

// inverse is (I + a)^-1 for a strictly lower triangular a, by substitution
// from the first row down; it is unit lower triangular.
func inverse(a Matrix) Matrix {
	m := Matrix{Rows: a.Rows, Cols: a.Rows, Data: make([]float64, a.Rows*a.Rows)}
	for r := range a.Rows {
		row := m.Row(r)
		row[r] = 1
		for i := range r {
			for c := range i + 1 {
				row[c] -= a.At(r, i) * m.At(i, c)
			}
		}
	}
	return m
}
