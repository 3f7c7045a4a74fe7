package verify

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
		n := Number{Name: relName(kda.Family(r.Family)), Value: r.MaxRel, Labels: Labels{{"term", r.Term}}}
		if byChunks {
			n.Labels = append(n.Labels, Label{"chunks", strconv.Itoa(r.Chunks)})
		}
		list = append(list, r.placed(n, seeBeyond))
	}
	return list
}

// seeBeyond are the checks that find the line which a NaN comes from.
const seeBeyond = "fused-bounds,fused-uninit"

// placed gives a number that is NaN the place of the first in its labels, and the checks
// to be seen: a gate says no more of it than these.
func (r Row) placed(n Number, see string) Number {
	n.where = fmt.Sprintf(": %.9g for %.9g at %v of %s", float64(r.Got), float64(r.Want), r.Worst, r.Case)
	if r.NaNs == 0 {
		return n
	}
	n.Labels = append(n.Labels, Label{"at", strings.ReplaceAll(fmt.Sprint(r.Worst), " ", ",")}, Label{"case", r.Case})
	if see != "" {
		n.Labels = append(n.Labels, Label{"see", see})
	}
	return n
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
