package verify

import (
	"context"
	"errors"
	"slices"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

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
		Name: name, About: about, Only: OnHost,
		Programs: []Program{fusedProgram(look), canaryProgram(look)},
		Bars:     []Bar{atMost(findingsName, 0)},
		cases:    kdaNames(checkCases),
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

// findingReport counts the findings of each kind that was looked for, and those of any
// other kind that there are: what is not this check's is wrong all the same.
func findingReport(results []adjointResult, kinds []launch.Kind) Report {
	r := Report{Planned: len(results)}
	var ran launched
	for _, one := range results {
		ran.sum(one.ran)
		r.take(one.c.Name, one.findings, one.err)
	}
	r.Numbers = r.findings(kinds)
	r.Counters = ran.counters()
	return r
}
