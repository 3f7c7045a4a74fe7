package newton

import "math"

// eigen is the decomposition g = q diag(values) q^T of a symmetric matrix by
// Jacobi's rotations: each one zeroes an element off the diagonal, and sweeps
// over all of them converge quadratically (Golub and Van Loan, Matrix
// Computations, 8.5).
func eigen(g matrix) (values []float64, q matrix) {
	n := g.rows
	a := g.times(1)
	q = matrix{n, n, make([]float64, n*n)}
	for i := range n {
		q.data[i*n+i] = 1
	}
	for range 60 {
		if offDiagonal(a) <= 1e-30*a.norm()*a.norm() {
			break
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				rotate(a, q, i, j)
			}
		}
	}
	for i := range n {
		values = append(values, a.data[i*n+i])
	}
	return values, q
}

// rotate zeroes element (i, j) of a and records the rotation in q.
func rotate(a, q matrix, i, j int) {
	n := a.rows
	off := a.data[i*n+j]
	if off == 0 {
		return
	}
	theta := (a.data[j*n+j] - a.data[i*n+i]) / (2 * off)
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Hypot(theta, 1))
	c := 1 / math.Hypot(t, 1)
	s := t * c
	for r := range n {
		turn(a.data, r*n+i, r*n+j, c, s)
	}
	for r := range n {
		turn(a.data, i*n+r, j*n+r, c, s)
		turn(q.data, r*n+i, r*n+j, c, s)
	}
}

func turn(data []float64, i, j int, c, s float64) {
	x, y := data[i], data[j]
	data[i], data[j] = c*x-s*y, s*x+c*y
}

// offDiagonal is the sum of squares off the diagonal.
func offDiagonal(a matrix) float64 {
	sum := 0.0
	for i, x := range a.data {
		if i/a.cols != i%a.cols {
			sum += x * x
		}
	}
	return sum
}
