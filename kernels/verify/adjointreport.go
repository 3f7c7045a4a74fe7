package verify

import (
	"strconv"

	"gpuci/kernels/kda"
)

// adjointReport puts the results of cases together; by says whether the number of
// chunks is a label of the numbers.
func adjointReport(results []adjointResult, byChunks bool, sight Sight) Report {
	r := Report{Planned: len(results)}
	var t table
	var ran launched
	var differ differ
	for _, one := range results {
		ran.sum(one.ran)
		if !r.take(one.c.Name, one.findings, one.err) {
			continue
		}
		differ.add(one.differ)
		for _, report := range one.reports {
			t.add(string(one.c.Family), one.c.Shape.Chunks(), one.c.Name, report)
		}
	}
	r.Rows = t.rows
	r.Numbers = t.numbers(byChunks)
	if r.Cases > 0 {
		r.Numbers = append(r.Numbers, differ.number(sight.differName(), "fused-race"))
	}
	r.Numbers = append(r.Numbers, r.findings(sight.Numbers)...)
	elements, nans := r.Compared()
	r.Counters = append([]Counter{counter("compared", elements), counter("nan", nans)}, ran.counters()...)
	r.Counters = append(r.Counters, sight.runs(ran.runs, r.Planned))
	return r
}

// orders is how often each case was run, each time in another order of threads.
func orders(runs, cases int) int {
	if cases == 0 || runs%cases != 0 {
		return 0
	}
	return runs / cases
}

// covered are the places that the cases which came to their end have on the axes of a
// gate's scope.
func covered(results []adjointResult) (list []Covered) {
	seen := make(map[Covered]bool)
	for _, r := range results {
		if r.err != nil {
			continue
		}
		s := r.c.Shape
		for _, c := range []Covered{
			{"family", string(r.c.Family)}, {"gates", gatesName(r.c.Gates)}, {"chunks", strconv.Itoa(s.Chunks())},
			{"C", strconv.Itoa(s.C)}, {"K", strconv.Itoa(s.K)}, {"V", strconv.Itoa(s.V)},
		} {
			if !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	return list
}

func gatesName(g kda.Gates) string {
	if g == kda.Channelwise {
		return "channelwise"
	}
	return string(g)
}
