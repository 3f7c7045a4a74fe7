package verify

import (
	"slices"

	"gpuci/kernels/kda"
)

// ratioRow is what both paths come to on one tensor, over the seeds of a family.
type ratioRow struct {
	family     kda.Family
	term       string
	fused, ops sums
	worst      string // the case with the fused path's largest difference
}

// ratioReport puts the seeds together: squares are summed before the root is taken, so
// that one seed with little error to divide by says nothing.
func ratioReport(results []ratioResult, sight Sight) Report {
	r := Report{Planned: len(results)}
	var rows []ratioRow
	var ran launched
	for _, one := range results {
		ran.sum(one.ran)
		if !r.take(one.c.Name, one.findings, one.err) {
			continue
		}
		for i, f := range one.fused {
			rows = ratioAdd(rows, ratioRow{one.c.Family, f.worst.Term, f, one.ops[i], one.c.Name})
		}
	}
	for _, row := range rows {
		of := row.row()
		r.Rows = append(r.Rows, of)
		r.Numbers = append(r.Numbers, of.placed(Number{Name: ratioName, Value: of.Ratio, Labels: Labels{{"family", of.Family}, {"term", of.Term}}}, seeBeyond))
		r.Numbers = append(r.Numbers, Number{Name: opsRelName(row.family), Value: Real(row.ops.worst.MaxRel), Labels: Labels{{"term", of.Term}}})
	}
	r.Numbers = append(r.Numbers, r.findings(sight.Numbers)...)
	elements, nans := r.Compared()
	r.Counters = append([]Counter{counter("compared", elements), counter("nan", nans)}, ran.counters()...)
	return r
}

func ratioAdd(rows []ratioRow, row ratioRow) []ratioRow {
	i := slices.IndexFunc(rows, func(o ratioRow) bool { return o.family == row.family && o.term == row.term })
	if i < 0 {
		return append(rows, row)
	}
	if worse(Real(row.fused.worst.MaxRel), Real(rows[i].fused.worst.MaxRel)) {
		rows[i].worst = row.worst
	}
	rows[i].fused.add(row.fused)
	rows[i].ops.add(row.ops)
	return rows
}

// row shows the fused path's own differences.
func (r ratioRow) row() Row {
	w := r.fused.worst
	return Row{
		Family: string(r.family), Term: r.term, Compared: r.fused.elements, NaNs: r.fused.nans + r.ops.nans,
		MaxRel: Real(w.MaxRel), RMSRel: Real(root(r.fused.squares, r.fused.reference)),
		Ratio: Real(root(r.fused.squares, r.ops.squares)), Case: r.worst,
		Worst: w.Worst, Got: Real(w.Got), Want: Real(w.Want),
	}
}
