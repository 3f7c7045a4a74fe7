package kda

// Leaves holds one tensor for each input that L can be differentiated by: the
// inputs themselves, their gradient, or a direction in their space.
type Leaves struct {
	Q     Tensor // query [B,H,T,K]
	K     Tensor // key [B,H,T,K]
	V     Tensor // value [B,H,T,V]
	G     Tensor // log decay of a row, natural, at most 0 [B,H,T,K]
	B     Tensor // erase gate [B,H,T,K]
	W     Tensor // write gate [B,H,T,V]
	State Tensor // state before the first row, S0 [B,H,K,V]
}

// Term is one tensor of the leaves with its name: q, k, v, g, b, w or state.
type Term struct {
	Name   string
	Tensor *Tensor
}

// NewLeaves returns leaves of zeros.
func NewLeaves(s Shape) *Leaves {
	return &Leaves{
		Q: NewTensor(s.keyed()), K: NewTensor(s.keyed()), V: NewTensor(s.valued()),
		G: NewTensor(s.keyed()), B: NewTensor(s.keyed()), W: NewTensor(s.valued()),
		State: NewTensor(s.stateful()),
	}
}

// Terms lists the seven tensors, always in the order q, k, v, g, b, w, state.
func (l *Leaves) Terms() []Term {
	return []Term{
		{"q", &l.Q}, {"k", &l.K}, {"v", &l.V}, {"g", &l.G},
		{"b", &l.B}, {"w", &l.W}, {"state", &l.State},
	}
}
