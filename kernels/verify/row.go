package verify

import (
	"math"
	"slices"
	"strconv"

	"gpuci/kernels/kda"
)

// table collects rows, one for each family, number of chunks and term, in the order in
// which these first come.
type table struct {
	rows []Row
}

// add takes in what was said of a tensor of a case.
func (t *table) add(family string, chunks int, name string, r kda.Report) {
	row := Row{
		Family: family, Chunks: chunks, Term: r.Term, Compared: r.Compared, NaNs: r.NaNs,
		MaxRel: Real(r.MaxRel), RMSRel: Real(r.RMSRel), Case: name, Worst: r.Worst, Got: Real(r.Got), Want: Real(r.Want),
	}
	i := slices.IndexFunc(t.rows, func(o Row) bool {
		return o.Family == row.Family && o.Chunks == row.Chunks && o.Term == row.Term
	})
	if i < 0 {
		t.rows = append(t.rows, row)
		return
	}
	t.rows[i] = merged(t.rows[i], row)
}

// merged is one row for two: what was compared together, and the worse of both.
func merged(a, b Row) Row {
	m := a
	if worse(b.MaxRel, a.MaxRel) {
		m = b
	}
	m.Compared, m.NaNs = a.Compared+b.Compared, a.NaNs+b.NaNs
	m.RMSRel = a.RMSRel
	if worse(b.RMSRel, a.RMSRel) {
		m.RMSRel = b.RMSRel
	}
	return m
}

// worse says that a is worse than b; nothing is worse than NaN.
func worse(a, b Real) bool {
	return !math.IsNaN(float64(b)) && (math.IsNaN(float64(a)) || a > b)
}

// numbers are the largest differences, by family, term and, if asked for, chunks.
func (t *table) numbers(byChunks bool) (list []Number) {
	rows := t.rows
	if !byChunks {
		rows = byFamily(rows)
	}
	for _, r := range rows {
		n := Number{Name: relName(kda.Family(r.Family)), Value: r.MaxRel, Labels: []Label{{"term", r.Term}}}
		if byChunks {
			n.Labels = append(n.Labels, Label{"chunks", strconv.Itoa(r.Chunks)})
		}
		list = append(list, n)
	}
	return list
}

// byFamily puts the rows of all numbers of chunks together.
func byFamily(rows []Row) (list []Row) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(o Row) bool { return o.Family == r.Family && o.Term == r.Term })
		if i < 0 {
			r.Chunks = 0
			list = append(list, r)
			continue
		}
		list[i] = merged(list[i], r)
		list[i].Chunks = 0
	}
	return list
}
