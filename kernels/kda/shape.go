package kda

import "fmt"

// Shape says how large a problem is. Every field counts elements.
type Shape struct {
	B int // batches
	H int // heads
	T int // rows, one for each time step
	K int // key channels
	V int // value channels
	C int // rows of a chunk; the last chunk may be shorter, and C may exceed T
}

// Check returns an error that names the first field that is not positive.
func (s Shape) Check() error {
	fields := []struct {
		name  string
		value int
	}{{"B", s.B}, {"H", s.H}, {"T", s.T}, {"K", s.K}, {"V", s.V}, {"C", s.C}}
	for _, f := range fields {
		if f.value < 1 {
			return fmt.Errorf("check shape: %s is %d; give at least 1", f.name, f.value)
		}
	}
	return nil
}

// Heads is the number of independent sequences, B*H. Head i is head i%H of
// batch i/H.
func (s Shape) Heads() int { return s.B * s.H }

// Chunks is the number of chunks of each head.
func (s Shape) Chunks() int { return (s.T + s.C - 1) / s.C }

// span gives the rows [from, to) of chunk n.
func (s Shape) span(n int) (from, to int) {
	return n * s.C, min((n+1)*s.C, s.T)
}

// keyed, valued and stateful are the dimensions of the three kinds of tensor.
func (s Shape) keyed() [4]int    { return [4]int{s.B, s.H, s.T, s.K} }
func (s Shape) valued() [4]int   { return [4]int{s.B, s.H, s.T, s.V} }
func (s Shape) stateful() [4]int { return [4]int{s.B, s.H, s.K, s.V} }
