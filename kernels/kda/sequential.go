package kda

import "slices"

// series is one head of a problem over any kind of number, laid out flat: row
// t and channel d stand at t*keys+d (or t*values+d), state (d,x) at d*values+x.
type series[N number[N]] struct {
	rows, keys, values int
	scale              N
	q, k, g, b         []N // [T,K]
	v, w               []N // [T,V]
	state              []N // [K,V], before the first row
	dOut               []N // [T,V]
	dFinal             []N // [K,V]
}

// Sequential runs the op row by row, straight from its definition. It returns
// an error when the problem does not pass [Problem.Check].
func Sequential(p *Problem) (*Output, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	o := &Output{Out: NewTensor(p.valued()), Final: NewTensor(p.stateful())}
	for h := range p.Heads() {
		out, final := headOf(p, h, asPlain).run()
		for i, x := range out {
			o.Out.Data[h*len(out)+i] = float64(x)
		}
		for i, x := range final {
			o.Final.Data[h*len(final)+i] = float64(x)
		}
	}
	return o, nil
}

// headOf lifts head h of the problem into the numbers that as makes. It does
// its own indexing, so that a layout mistake in the chunk form stays visible.
func headOf[N number[N]](p *Problem, h int, as func(float64) N) *series[N] {
	keyed := func(t Tensor) []N { return lift(t.Data[h*p.T*p.K:(h+1)*p.T*p.K], as) }
	valued := func(t Tensor) []N { return lift(t.Data[h*p.T*p.V:(h+1)*p.T*p.V], as) }
	stateful := func(t Tensor) []N { return lift(t.Data[h*p.K*p.V:(h+1)*p.K*p.V], as) }
	return &series[N]{
		rows: p.T, keys: p.K, values: p.V, scale: as(p.scale()),
		q: keyed(p.In.Q), k: keyed(p.In.K), g: keyed(p.In.G), b: keyed(p.In.B),
		v: valued(p.In.V), w: valued(p.In.W), state: stateful(p.In.State),
		dOut: valued(p.DOut), dFinal: stateful(p.DST),
	}
}

// leaves lists what can be differentiated, in the order of [Leaves.Terms].
func (s *series[N]) leaves() [][]N {
	return [][]N{s.q, s.k, s.v, s.g, s.b, s.w, s.state}
}

// run gives the output [T,V] and the final state [K,V].
func (s *series[N]) run() (out, final []N) {
	out = make([]N, s.rows*s.values)
	final = slices.Clone(s.state)
	for t := range s.rows {
		s.step(t, final, out[t*s.values:(t+1)*s.values])
	}
	return out, final
}

// step moves the state over row t and fills that row of the output.
func (s *series[N]) step(t int, state, out []N) {
	at := t * s.keys
	for d := range s.keys {
		a := s.g[at+d].exp()
		for x := range s.values {
			state[d*s.values+x] = a.times(state[d*s.values+x])
		}
	}
	for x := range s.values {
		n := s.w[t*s.values+x].times(s.v[t*s.values+x])
		for d := range s.keys {
			erase := s.b[at+d].times(s.k[at+d])
			n = n.minus(state[d*s.values+x].times(erase))
		}
		var o N
		for d := range s.keys {
			i := d*s.values + x
			state[i] = state[i].plus(s.k[at+d].times(n))
			o = o.plus(state[i].times(s.q[at+d]))
		}
		out[x] = s.scale.times(o)
	}
}

// objective is this head's share of L = <dOut, out> + <dS_T, S_T>.
func (s *series[N]) objective() N {
	out, final := s.run()
	var sum N
	for i, x := range out {
		sum = sum.plus(s.dOut[i].times(x))
	}
	for i, x := range final {
		sum = sum.plus(s.dFinal[i].times(x))
	}
	return sum
}
