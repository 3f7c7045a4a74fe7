package rmsnorm

import "math"

// Bar is what a kernel's largest difference from the reference may be in each
// tensor, relative to its largest element: ten times the 3e-7 that is the worst of
// 40 seeds of each of [Cases].
const Bar = 3e-6

// Output is what the two passes give.
type Output struct {
	Y       []float64 // [Rows,D]
	RStd    []float64 // what the backward reads [Rows]
	DX      []float64 // [Rows,D]
	DWeight []float64 // [D]
}

// Term is one tensor of an output with its name.
type Term struct {
	Name string
	Dims [2]int
	Data []float64
}

// Terms lists the four tensors, always in the order y, rstd, d_x, d_weight.
func (o *Output) Terms(s Shape) []Term {
	return []Term{
		{"y", [2]int{s.Rows, s.D}, o.Y}, {"rstd", [2]int{s.Rows, 1}, o.RStd},
		{"d_x", [2]int{s.Rows, s.D}, o.DX}, {"d_weight", [2]int{1, s.D}, o.DWeight},
	}
}

// Normalise is the reference of both passes. It returns an error when the
// problem does not pass [Problem.Check].
func Normalise(p *Problem) (*Output, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	o := &Output{
		Y: make([]float64, len(p.X)), RStd: make([]float64, p.Rows),
		DX: make([]float64, len(p.X)), DWeight: make([]float64, p.D),
	}
	for r := range p.Rows {
		o.forward(p, r)
		o.backward(p, r)
	}
	return o, nil
}

func (o *Output) forward(p *Problem, r int) {
	x, y := p.row(p.X, r), p.row(o.Y, r)
	squares := 0.0
	for _, v := range x {
		squares += v * v
	}
	o.RStd[r] = 1 / math.Sqrt(squares/float64(p.D)+p.Eps)
	for i, v := range x {
		y[i] = v * o.RStd[r] * p.Weight[i]
	}
}

func (o *Output) backward(p *Problem, r int) {
	x, dY, dX := p.row(p.X, r), p.row(p.DY, r), p.row(o.DX, r)
	dot := 0.0
	for i, v := range x {
		dot += dY[i] * p.Weight[i] * v * o.RStd[r]
	}
	for i, v := range x {
		n := v * o.RStd[r]
		dX[i] = o.RStd[r] * (dY[i]*p.Weight[i] - n*dot/float64(p.D))
		o.DWeight[i] += dY[i] * n
	}
}

// row is row r of a tensor [Rows,D], sharing memory.
func (p *Problem) row(tensor []float64, r int) []float64 {
	return tensor[r*p.D : (r+1)*p.D]
}
