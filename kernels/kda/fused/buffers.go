package fused

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// inputs are the buffers that both plans read, in float32: [B,H,T,K] for q, k, g and
// b; [B,H,T,V] for v, w and d_out; [B,H,K,V] for state0 and d_state_t.
func inputs(p *kda.Problem) []launch.Buffer {
	return []launch.Buffer{
		input("q", p.In.Q), input("k", p.In.K), input("g", p.In.G), input("b", p.In.B),
		input("v", p.In.V), input("w", p.In.W), input("state0", p.In.State),
		input("d_out", p.DOut), input("d_state_t", p.DST),
	}
}

// input is a tensor rounded to float32.
func input(name string, t kda.Tensor) launch.Buffer {
	data := make([]float32, len(t.Data))
	for i, x := range t.Data {
		data[i] = float32(x)
	}
	return launch.Buffer{Name: name, Count: len(data), Data: data, Role: launch.Input}
}

// forwardOutputs are out and state_t, and what the backward reads of the forward:
// G, exp(G), exp(L), Aqk, M, W, u, kgd, v_new and the state before each chunk.
func forwardOutputs(s kda.Shape) []launch.Buffer {
	n := sizesOf(s)
	return []launch.Buffer{
		output("out", n.values), output("state_t", n.cells),
		output("gcum", n.keys), output("gexp", n.keys), output("glast", n.lasts),
		output("aqk", n.pairs), output("m_inv", n.pairs),
		output("w_mat", n.keys), output("u", n.values), output("kgd", n.keys), output("v_new", n.values),
		output("states", n.states),
	}
}

// backwardOutputs are what BK1 reads of BK2, and the seven gradients.
func backwardOutputs(s kda.Shape) []launch.Buffer {
	n := sizesOf(s)
	return []launch.Buffer{
		output("d_v_new", n.values), output("d_s_next", n.states), output("d_state", n.cells),
		output("d_q", n.keys), output("d_k", n.keys), output("d_g", n.keys), output("d_b", n.keys),
		output("d_v", n.values), output("d_w", n.values),
	}
}

func output(name string, count int) launch.Buffer {
	return launch.Buffer{Name: name, Count: count, Role: launch.Output}
}

// sizes counts the elements of each kind of buffer.
type sizes struct {
	keys   int // [B,H,T,K]
	values int // [B,H,T,V]
	cells  int // [B,H,K,V]
	pairs  int // [B,H,N,C,C]
	lasts  int // [B,H,N,K]
	states int // [B,H,N,K,V]
}

func sizesOf(s kda.Shape) sizes {
	heads, chunks := s.Heads(), s.Chunks()
	return sizes{
		keys: heads * s.T * s.K, values: heads * s.T * s.V, cells: heads * s.K * s.V,
		pairs: heads * chunks * s.C * s.C, lasts: heads * chunks * s.K, states: heads * chunks * s.K * s.V,
	}
}
