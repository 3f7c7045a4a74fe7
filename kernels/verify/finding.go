package verify

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

// findingsName is the metric of what the backend saw to be wrong, by kind. None is
// right, so that its bar is 0.
const findingsName = "findings"

// raceKinds, uninitKinds and boundsKinds are what each of these checks asks for.
func raceKinds() []launch.Kind {
	return []launch.Kind{launch.Race, launch.DivergentBarrier, launch.Deadlock}
}

func uninitKinds() []launch.Kind {
	return []launch.Kind{launch.Uninitialised, launch.Unwritten, launch.Rewritten}
}

func boundsKinds() []launch.Kind { return []launch.Kind{launch.OutOfBounds} }

// accessKinds are all that a backend tells which looks at every access.
func accessKinds() []launch.Kind {
	return slices.Concat(raceKinds(), uninitKinds(), boundsKinds())
}

// numberKinds are those that it tells while its results count.
func numberKinds() []launch.Kind {
	return []launch.Kind{launch.Unwritten, launch.DivergentBarrier, launch.Deadlock}
}

func raceCheck() Check {
	return findingCheck("fused-race", "no two threads on one word between barriers, no barrier that some threads miss", Accesses, raceKinds())
}

func uninitCheck() Check {
	return findingCheck("fused-uninit", "nothing is read that nobody wrote, every element of an output is written once", Accesses, uninitKinds())
}

func boundsCheck() Check {
	return findingCheck("fused-bounds", "no access beyond a buffer, or beyond the shared memory that was asked for", Bounds, boundsKinds())
}

func findingCheck(name, about string, look Look, kinds []launch.Kind) Check {
	return Check{
		Name: name, About: about,
		Programs: []Program{fusedProgram(look), canaryProgram(look)},
		Bars:     []Bar{atMost(findingsName, 0)},
		run: func(ctx context.Context, s *session) (Report, error) {
			return findings(ctx, s, look, kinds)
		},
	}
}

// findings runs the fused path under a look, and first a canary for each kind that is
// looked for: who does not see these sees nothing.
func findings(ctx context.Context, s *session, look Look, kinds []launch.Kind) (Report, error) {
	unseen, err := canaries(ctx, s.program(canaryProgram(look)), kinds)
	if err != nil {
		return Report{}, err
	}
	cases := s.pick(checkCases())
	b := s.program(fusedProgram(look))
	results, err := each(ctx, s.Jobs, cases, caseCost, func(ctx context.Context, c kda.Case) adjointResult {
		return lookedAt(ctx, b, c)
	})
	if err != nil {
		return Report{}, err
	}
	r := findingReport(results, kinds)
	r.Unseen, r.Counters = unseen, append([]Counter{canaryCounter(kinds, unseen)}, r.Counters...)
	return r, nil
}

// lookedAt runs one case for what the backend sees.
func lookedAt(ctx context.Context, b launch.Backend, c kda.Case) adjointResult {
	r := adjointResult{c: c}
	p, err := c.Problem()
	if err != nil {
		r.err = err
		return r
	}
	result, err := b.Run(ctx, fused.Fused(p))
	if err != nil {
		r.err = err
		return r
	}
	r.ran.add(result)
	r.findings = result.Findings
	if result.Buffers == nil && len(result.Findings) == 0 {
		r.err = errors.New("the job did not come to its end")
	}
	return r
}

// findingReport counts the findings of each kind that was looked for. Another kind is
// another check's: it is counted, and not told.
func findingReport(results []adjointResult, kinds []launch.Kind) Report {
	r := Report{Planned: len(results)}
	var ran launched
	other := 0
	for _, one := range results {
		ran.sum(one.ran)
		if one.err != nil {
			r.Failures = append(r.Failures, Failure{one.c.Name, one.err.Error()})
			continue
		}
		r.Cases++
		for _, f := range one.findings {
			if !slices.Contains(kinds, f.Kind) {
				other++
				continue
			}
			r.Findings = append(r.Findings, foundIn(one.c.Name, f))
		}
	}
	r.Numbers = r.findings(kinds)
	r.Counters = append(ran.counters(), counter("other-findings", other))
	return r
}

// findings are the numbers of findings of these kinds, none of which is right.
func (r Report) findings(kinds []launch.Kind) (list []Number) {
	for _, k := range kinds {
		n := 0
		for _, f := range r.Findings {
			if f.Kind == k {
				n++
			}
		}
		list = append(list, Number{findingsName, Real(n), []Label{{"kind", string(k)}}})
	}
	return list
}

// findingsText is all of them in a line.
func findingsText(list []launch.Finding) string {
	var texts []string
	for _, f := range list {
		texts = append(texts, f.Text)
	}
	return strings.Join(texts, "; ")
}
