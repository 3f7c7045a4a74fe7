package kda

import (
	"slices"
	"strings"
	"testing"
)

// fault is one planted defect: a text that stands once in the chunk form's
// source, what replaces it, and which gradients that moves.
type fault struct {
	name     string
	old, new string
	sees     string // per column, x: some gradient moves, -: none does
	moves    string // gradients that move at two chunks with no final-state gradient, no others
	final    string // the same with one, where it differs
}

// columns are the cases that stand for the columns of the table: one chunk
// bare, with a state, and with both; two chunks without and with a final-state
// gradient; four with.
var columns = [...]string{"one-chunk-no-state", "one-chunk-no-final", "one-chunk", "two-chunks-no-final", "two-chunks", "four-chunks"}

const (
	all      = "dq dk dv dg db dw dstate"
	allButQ  = "dk dv dg db dw dstate"
	blindTwo = "--xxxx"
)

func untouched() fault { return fault{name: "untouched", sees: "------"} }

func faults() []fault {
	return append(append(forwardFaults(), betweenFaults()...), insideFaults()...)
}

func forwardFaults() []fault {
	return []fault{{
		name: "kgd takes glast for L", sees: blindTwo, moves: all,
		old: "return c.k.At(r, d) * math.Exp(last[d]-c.G.At(r, d))",
		new: "_ = last\n\t\treturn c.k.At(r, d) * math.Exp(c.GLast[d]-c.G.At(r, d))",
	}}
}

func betweenFaults() []fault {
	const update = "ds = minus(plus(diag(c.GLast, ds), read), mulTN(c.W, dvNew))"
	const written = "dvNew := plus(mulTN(c.Aqk, dOut), mul(c.KGD, ds))"
	return []fault{{
		name: "carry cut", sees: "---xxx", moves: allButQ,
		old: "c := f.Chunks[h][n]\n",
		new: "c := f.Chunks[h][n]\n\t\tif n < count-1 {\n\t\t\tds = times(0, ds)\n\t\t}\n",
	}, {
		name: "glast forgotten", sees: blindTwo, moves: "dstate", final: allButQ,
		old: update, new: strings.Replace(update, "diag(c.GLast, ds)", "ds", 1),
	}, {
		name: "glast exponentiated twice", sees: blindTwo, moves: "dstate", final: allButQ,
		old: update, new: strings.Replace(update, "c.GLast", "expAgain(c.GLast)", 1),
	}, {
		name: "kgd dS dropped", sees: blindTwo, moves: allButQ,
		old: written, new: "dvNew := mulTN(c.Aqk, dOut)",
	}, {
		name: "W d_v_new dropped", sees: "xxxxxx", moves: allButQ,
		old: update, new: "ds = plus(diag(c.GLast, ds), read)",
	}, {
		name: "dS_T ignored", sees: "--x-xx", final: allButQ,
		old: "ds := p.DST.head(h)", new: "ds := times(0, p.DST.head(h))",
	}, {
		name: "Aqk transposed", sees: "xxxxxx", moves: allButQ,
		old: written, new: "dvNew := plus(mul(c.Aqk, dOut), mul(c.KGD, ds))",
	}}
}

func insideFaults() []fault {
	const last = "sum += a.lastKey(d) + a.lastState(d)"
	const dAkk = "lower(times(-1, plus(mulNT(a.x, c.W), mulNT(a.y, c.U))), 1)"
	const d1 = "d1 := b.DNext[h][n]"
	return []fault{{
		name: "d_hat decay dropped from dk", sees: blindTwo, moves: "dk",
		old: "sum := a.dHat.At(r, d) * a.toLast.At(r, d)", new: "sum := 0.0",
	}, {
		name: "d_hat k decay dropped from dG", sees: blindTwo, moves: "dg",
		old: "sum -= a.dHat.At(r, d) * k * a.toLast.At(r, d)", new: "",
	}, {
		name: "last row kgd term dropped", sees: blindTwo, moves: "dg",
		old: last, new: "sum += a.lastState(d)",
	}, {
		name: "last row state term dropped", sees: blindTwo, moves: "dg",
		old: last, new: "sum += a.lastKey(d)",
	}, {
		name: "last row term added twice", sees: blindTwo, moves: "dg",
		old: last, new: "sum += 2 * (a.lastKey(d) + a.lastState(d))",
	}, {
		name: "D1 transposed", sees: blindTwo, moves: "dk dg",
		old: d1,
		new: "d1 := Matrix{Rows: p.K, Cols: p.V, Data: each(p.V, p.K, " +
			"func(r, c int) float64 { return b.DNext[h][n].At(c, r) }).Data}",
	}, {
		name: "S0 off by one chunk", sees: "xxxxxx", moves: "dq dk dg db",
		old: "s0 := f.States[h][n]", new: "s0 := f.States[h][n+1]",
	}, {
		name: "D1 off by one chunk", sees: "---xxx", moves: "dk dg",
		old: d1, new: "d1 := b.DNext[h][min(n+1, p.Chunks()-1)]",
	}, {
		name: "X W dropped from dAkk", sees: "-xxxxx", moves: "dk dg db",
		old: dAkk, new: "lower(times(-1, mulNT(a.y, c.U)), 1)",
	}, {
		name: "dAkk sign", sees: "xxxxxx", moves: "dk dg db",
		old: dAkk, new: "lower(plus(mulNT(a.x, c.W), mulNT(a.y, c.U)), 1)",
	}, {
		name: "causal mask without diagonal", sees: "xxxxxx", moves: "dq dk",
		old: "lower(mulNT(dOut, c.VNew), 0)", new: "lower(mulNT(dOut, c.VNew), 1)",
	}, {
		name: "no reverse cumulative sum", sees: "xxxxxx", moves: "dg",
		old: "put(b.Grad.G, suffix(a.decay(dq)))", new: "put(b.Grad.G, a.decay(dq))",
	}}
}

// judge holds the moves of each case against the table.
func (f fault) judge(t *testing.T, moves map[string]map[string]float64) {
	t.Helper()
	for i, name := range columns {
		worst := 0.0
		for _, move := range moves[name] {
			worst = max(worst, move)
		}
		t.Logf("%-20s worst %-8.2g moved %s", name, worst, strings.Join(moved(moves[name]), " "))
		if seen := worst >= visible; seen != (f.sees[i] == 'x') || !seen && worst > adBar {
			t.Errorf("%s: worst move %.3g, the table says %c", name, worst, f.sees[i])
		}
	}
	// Stronger decay shrinks the terms with glast, and K = V hides a reshape.
	for _, name := range []string{"moderate", "strong", "square"} {
		if f.name != untouched().name && len(moved(moves[name])) == 0 {
			t.Errorf("%s: nothing moves by %g: the case is blind to the fault", name, visible)
		}
	}
	f.holds(t, moves, "two-chunks-no-final", f.moves)
	if f.final == "" {
		f.final = f.moves
	}
	f.holds(t, moves, "two-chunks", f.final)
	f.holds(t, moves, "four-chunks", f.final)
}

// holds checks that in one case just the wanted gradients move, and that the
// others stay within the oracle's bar.
func (f fault) holds(t *testing.T, moves map[string]map[string]float64, name, want string) {
	t.Helper()
	if len(moves[name]) != len(strings.Fields(all)) {
		t.Fatalf("%s: %d gradients compared, want %d", name, len(moves[name]), len(strings.Fields(all)))
	}
	wanted := strings.Fields(want)
	for term, move := range moves[name] {
		switch {
		case slices.Contains(wanted, term) && move < visible:
			t.Errorf("%s: %s moves %.3g, want at least %g", name, term, move, visible)
		case !slices.Contains(wanted, term) && move > adBar:
			t.Errorf("%s: %s moves %.3g, want none", name, term, move)
		}
	}
}

// moved lists the gradients that move, in the order of the table.
func moved(moves map[string]float64) []string {
	var terms []string
	for _, term := range strings.Fields(all) {
		if moves[term] >= visible {
			terms = append(terms, term)
		}
	}
	return terms
}
