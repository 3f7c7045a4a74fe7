package verify

import (
	"context"

	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
	"gpuci/kernels/seed"
)

// unit is a case of a kernel that is no delta rule: a job, and what must come of it.
type unit struct {
	name    string
	family  string // label of its numbers; "" for none
	job     launch.Job
	compare func(launch.Result) ([]kda.Report, error)
}

// unitResult is what came of one.
type unitResult struct {
	unit
	reports  []kda.Report
	findings []launch.Finding
	launches int
	runs     int
	watched  int // runs that were looked at access by access
	differ   differ
	err      error
}

// unitCheck is how units are checked.
type unitCheck struct {
	metric  func(family string) string
	numbers Program // that the results are of
	watched Program // the same sources, for findings
	units   func(seed uint64) ([]unit, error)
}

// check completes a check that has its name, its cases and the bars of its numbers.
func (c unitCheck) check(of Check) Check {
	of.Programs = []Program{c.numbers, c.watched, canaryProgram(Accesses)}
	of.Bars = append(of.Bars, atMost(orderName, 0), atMost(findingsName, 0))
	of.run = c.run
	return of
}

// run runs all units in two orders of threads and holds them against their references,
// then once more, watched: a bound can be wrong where a side is long, and right below.
func (c unitCheck) run(ctx context.Context, s *session) (Report, error) {
	units, err := c.units(s.Seed)
	if err != nil {
		return Report{}, err
	}
	var picked []unit
	for _, u := range units {
		if s.picks(u.name) {
			picked = append(picked, u)
		}
	}
	numbers, watched := s.program(c.numbers), s.program(c.watched)
	var unseen []launch.Kind
	if s.sight.Accesses {
		if unseen, err = canaries(ctx, s.program(canaryProgram(Accesses)), accessKinds()); err != nil {
			return Report{}, err
		}
	}
	results, err := each(ctx, s.Jobs, picked, func(u unit) int { return elements(u.job) }, func(ctx context.Context, u unit) unitResult {
		r := unitResult{unit: u}
		r.err = r.numbers(ctx, numbers)
		if r.err == nil && s.sight.Accesses {
			r.err = r.watch(ctx, watched)
		}
		return r
	})
	if err != nil {
		return Report{}, err
	}
	r := c.report(results, s.sight)
	if s.sight.Accesses {
		r.Unseen, r.Counters = unseen, append(r.Counters, canaryCounter(accessKinds(), unseen))
	}
	return r, nil
}

func elements(j launch.Job) (n int) {
	for _, b := range j.Buffers {
		n += b.Count
	}
	return n
}

func (r *unitResult) numbers(ctx context.Context, b launch.Backend) error {
	first, err := b.Run(ctx, r.job)
	if err != nil {
		return err
	}
	r.took(first)
	r.findings = append(r.findings, first.Findings...)
	again := r.job
	again.Order = seed.Of(r.name) | 1 // 0 is the order of the first
	second, err := b.Run(ctx, again)
	if err != nil {
		return err
	}
	r.took(second)
	r.differ = differing(r.name, r.job, first, second)
	r.reports, err = r.compare(first)
	return err
}

func (r *unitResult) took(result launch.Result) {
	r.runs++
	for _, c := range result.Launches {
		r.launches += c.Times
	}
}

// watch keeps what a backend sees.
func (r *unitResult) watch(ctx context.Context, b launch.Backend) error {
	r.watched++
	result, err := b.Run(ctx, r.job)
	r.findings = append(r.findings, result.Findings...)
	return err
}

// report puts units together.
func (c unitCheck) report(results []unitResult, sight Sight) Report {
	r := Report{Planned: len(results)}
	var t table
	var differ differ
	runs, watched, launches := 0, 0, 0
	for _, one := range results {
		runs, watched, launches = runs+one.runs, watched+one.watched, launches+one.launches
		if !r.take(one.name, one.findings, one.err) {
			continue
		}
		differ.add(one.differ)
		for _, report := range one.reports {
			t.add(one.family, 0, one.name, report)
		}
	}
	r.Rows = t.rows
	for _, row := range t.rows {
		n := Number{Name: c.metric(row.Family), Value: row.MaxRel, Labels: Labels{{"term", row.Term}}}
		if row.Family != "" {
			n.Labels = append(n.Labels, Label{"kind", row.Family})
		}
		r.Numbers = append(r.Numbers, row.placed(n, ""))
	}
	if r.Cases > 0 {
		r.Numbers = append(r.Numbers, differ.number(sight.differName(), ""))
	}
	kinds := sight.Numbers
	if sight.Accesses {
		kinds = accessKinds()
	}
	r.Numbers = append(r.Numbers, r.findings(kinds)...)
	compared, nans := r.Compared()
	r.Counters = []Counter{counter("compared", compared), counter("nan", nans), counter("runs", runs), counter("launches", launches), sight.runs(runs, r.Planned)}
	if sight.Accesses {
		r.Counters = append(r.Counters, counter("watched", watched))
	}
	return r
}
