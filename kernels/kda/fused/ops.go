package fused

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// Ops is the plan of the ops path on a problem rounded to float32: what the fused
// kernels compute, as a chain of small generic kernels that meet in memory. Where
// the state is carried the chain goes chunk by chunk, elsewhere a launch covers all
// chunks at once. The problem must pass [kda.Problem.Check].
//
// It is the baseline of the fused path's speed and rounding, and no crippled one: it
// has the pairwise exponential too, float32 throughout, products whose sums are one chain
// each in ascending order, and shares factors as a person writing tensor code would.
func Ops(p *kda.Problem) launch.Job {
	c := newChain(p)
	c.phase = Forward
	c.decays()
	c.scores()
	c.forward()
	c.out()
	c.phase = Backward
	c.backward()
	c.values()
	c.pairs()
	c.queryGrad()
	c.keyGrads()
	c.decayGrad()
	return c.job
}

// decays makes G, E = exp(G), glast = E of the last row, exp(L - G) and kgd.
func (c *chain) decays() {
	c.running("ops_cumsum", c.keyed("gcum"), c.keyed("g"))
	c.exp(c.keyed("gcum"), c.keyed("gexp"))
	c.last(c.lasts("glast"), c.keyed("gexp"))
	c.last(c.lasts("g_last"), c.keyed("gcum"))
	c.add(1, c.lasts("g_last").transposed(), -1, c.keyed("gcum"), c.keyed("g_to_last"))
	c.exp(c.keyed("g_to_last"), c.keyed("to_last"))
	c.mul(c.keyed("k"), c.keyed("to_last"), c.keyed("kgd"))
}

// scores makes Aqk, M, u = M (w*v) and W = M (b*k*E).
func (c *chain) scores() {
	c.mul(c.keyed("b"), c.keyed("k"), c.keyed("bk"))
	c.score(scale(c.p), "q", 0, c.squares("aqk"))
	c.score(1, "bk", 1, c.squares("akk"))
	c.inverse(c.squares("akk"), c.squares("m_inv"))
	c.mul(c.valued("w"), c.valued("v"), c.valued("wv"))
	c.matmul(1, c.squares("m_inv"), c.valued("wv"), c.valued("u"))
	c.mul(c.keyed("bk"), c.keyed("gexp"), c.keyed("bke"))
	c.matmul(1, c.squares("m_inv"), c.keyed("bke"), c.keyed("w_mat"))
	c.mul(c.keyed("q"), c.keyed("gexp"), c.keyed("qe"))
}

// forward carries the state: v_new = u - W S0, S1 = diag(glast) S0 + kgd^T v_new.
func (c *chain) forward() {
	c.only(0)
	c.copy(c.whole("state0"), c.cells("states"))
	for n := range c.p.Chunks() {
		c.only(n)
		c.matmul(1, c.keyed("w_mat"), c.cells("states"), c.valued("erased"))
		c.add(1, c.valued("u"), -1, c.valued("erased"), c.valued("v_new"))
		c.mul(c.lasts("glast"), c.cells("states"), c.cells("kept"))
		c.matmul(1, c.keyed("kgd").transposed(), c.valued("v_new"), c.cells("wrote"))
		next := c.whole("state_t")
		if n < c.p.Chunks()-1 {
			next = c.cells("states").moved(1)
		}
		c.add(1, c.cells("kept"), 1, c.cells("wrote"), next)
	}
	c.all()
}

// out is scale * (q*E) S0 + Aqk v_new.
func (c *chain) out() {
	c.matmul(scale(c.p), c.keyed("qe"), c.cells("states"), c.valued("read"))
	c.matmul(1, c.squares("aqk"), c.valued("v_new"), c.valued("written"))
	c.add(1, c.valued("read"), 1, c.valued("written"), c.valued("out"))
}

// backward carries the gradient of the state, last chunk to first:
// d_v_new = Aqk^T dOut + kgd dS, dS <- diag(glast) dS + scale * (q*E)^T dOut - W^T d_v_new.
func (c *chain) backward() {
	c.matmul(1, c.squares("aqk").transposed(), c.valued("d_out"), c.valued("d_written"))
	c.matmul(scale(c.p), c.keyed("qe").transposed(), c.valued("d_out"), c.cells("d_read"))
	c.only(c.p.Chunks() - 1)
	c.copy(c.whole("d_state_t"), c.cells("d_s_next"))
	for n := c.p.Chunks() - 1; n >= 0; n-- {
		c.only(n)
		c.matmul(1, c.keyed("kgd"), c.cells("d_s_next"), c.valued("d_wrote"))
		c.add(1, c.valued("d_written"), 1, c.valued("d_wrote"), c.valued("d_v_new"))
		c.mul(c.lasts("glast"), c.cells("d_s_next"), c.cells("d_kept"))
		c.add(1, c.cells("d_kept"), 1, c.cells("d_read"), c.cells("d_carried"))
		c.matmul(1, c.keyed("w_mat").transposed(), c.valued("d_v_new"), c.cells("d_erased"))
		before := c.whole("d_state")
		if n > 0 {
			before = c.cells("d_s_next").moved(-1)
		}
		c.add(1, c.cells("d_carried"), -1, c.cells("d_erased"), before)
	}
	c.all()
}

// values makes d_hat = v_new D1^T, dW = -d_v_new S0^T, X = M^T dW, Y = M^T d_v_new,
// dv = w*Y and dw = v*Y.
func (c *chain) values() {
	c.matmul(1, c.valued("v_new"), c.cells("d_s_next").transposed(), c.keyed("d_hat"))
	c.matmul(-1, c.valued("d_v_new"), c.cells("states").transposed(), c.keyed("d_w_mat"))
	c.matmul(1, c.squares("m_inv").transposed(), c.keyed("d_w_mat"), c.keyed("x"))
	c.matmul(1, c.squares("m_inv").transposed(), c.valued("d_v_new"), c.valued("y"))
	c.mul(c.valued("w"), c.valued("y"), c.valued("d_v"))
	c.mul(c.valued("v"), c.valued("y"), c.valued("d_w"))
}

// pairs makes dAqk = tril(dOut v_new^T) and dAkk = -tril(X W^T + Y u^T, -1), and their
// sums over pairs of rows with k, q and b*k.
func (c *chain) pairs() {
	c.matmul(1, c.valued("d_out"), c.valued("v_new").transposed(), c.squares("d_aqk_full"))
	c.mask(1, c.squares("d_aqk_full"), 0, c.squares("d_aqk"))
	c.matmul(1, c.keyed("x"), c.keyed("w_mat").transposed(), c.squares("xw"))
	c.matmul(1, c.valued("y"), c.valued("u").transposed(), c.squares("yu"))
	c.add(1, c.squares("xw"), 1, c.squares("yu"), c.squares("d_akk_full"))
	c.mask(-1, c.squares("d_akk_full"), 1, c.squares("d_akk"))
	c.pairSums("ops_row_sums", "d_aqk", "k", "q_row")
	c.pairSums("ops_col_sums", "d_aqk", "q", "q_col")
	c.pairSums("ops_row_sums", "d_akk", "k", "k_row")
	c.pairSums("ops_col_sums", "d_akk", "bk", "k_col")
}

// queryGrad is dq = scale * (E*(dOut S0^T) + q_row).
func (c *chain) queryGrad() {
	c.matmul(1, c.valued("d_out"), c.cells("states").transposed(), c.keyed("d_qe"))
	c.mul(c.keyed("gexp"), c.keyed("d_qe"), c.keyed("d_q_read"))
	c.add(scale(c.p), c.keyed("d_q_read"), scale(c.p), c.keyed("q_row"), c.keyed("d_q"))
}

// keyGrads are, with d_bk = E*X + k_row the gradient of b*k,
// db = k*d_bk and dk = b*d_bk + d_hat*exp(L-G) + scale*q_col + k_col.
func (c *chain) keyGrads() {
	c.mul(c.keyed("gexp"), c.keyed("x"), c.keyed("ex"))
	c.add(1, c.keyed("ex"), 1, c.keyed("k_row"), c.keyed("d_bk"))
	c.mul(c.keyed("k"), c.keyed("d_bk"), c.keyed("d_b"))
	c.mul(c.keyed("d_hat"), c.keyed("to_last"), c.keyed("d_k_state"))
	c.add(scale(c.p), c.keyed("q_col"), 1, c.keyed("k_col"), c.keyed("d_k_pairs"))
	c.add(1, c.keyed("d_k_state"), 1, c.keyed("d_k_pairs"), c.keyed("d_k_late"))
	c.mul(c.keyed("b"), c.keyed("d_bk"), c.keyed("d_k_gated"))
	c.add(1, c.keyed("d_k_gated"), 1, c.keyed("d_k_late"), c.keyed("d_k"))
}

// decayGrad makes dG = q*dq + b*k*d_bk - k*(dk - b*d_bk) and its reverse cumulative
// sum, which begins with what the last row gets besides:
// sum_r d_hat*k*exp(L-G) + glast * sum_v(D1*S0). Under a strong decay the first of
// these is little but the last row's own term with the other sign, and has to meet it
// before the rest is added.
func (c *chain) decayGrad() {
	c.mul(c.keyed("q"), c.keyed("d_q"), c.keyed("q_d_q"))
	c.mul(c.keyed("bk"), c.keyed("d_bk"), c.keyed("bk_d_bk"))
	c.mul(c.keyed("k"), c.keyed("d_k_late"), c.keyed("k_d_k"))
	c.add(1, c.keyed("q_d_q"), 1, c.keyed("bk_d_bk"), c.keyed("d_gcum_early"))
	c.add(1, c.keyed("d_gcum_early"), -1, c.keyed("k_d_k"), c.keyed("d_gcum"))

	c.mul(c.keyed("k"), c.keyed("d_k_state"), c.keyed("k_d_k_state"))
	c.sum(c.keyed("k_d_k_state").transposed(), c.lasts("last_key"))
	c.mul(c.cells("d_s_next"), c.cells("states"), c.cells("d_s_s"))
	c.sum(c.cells("d_s_s"), c.lasts("d_glast"))
	c.mul(c.lasts("glast"), c.lasts("d_glast"), c.lasts("last_state"))
	c.add(1, c.lasts("last_key"), 1, c.lasts("last_state"), c.lasts("d_g_last"))
	c.running("ops_revsum", c.keyed("d_g"), c.keyed("d_gcum"), c.lasts("d_g_last"))
}
