package verify

import (
	"context"
	"slices"
	"strconv"

	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// The metrics of launches, by number of chunks: they must not depend on it.
const (
	forwardName  = "forward-launches"
	backwardName = "backward-launches"
	opsName      = "ops-launches"
)

func launchesCheck() Check {
	return Check{
		Name:     "fused-launches",
		About:    "one launch for a forward, two for a backward, whatever the length, as the backend counts them",
		Programs: []Program{fusedProgram(Numbers)},
		Bars:     []Bar{{forwardName, 1, 1}, {backwardName, 2, 2}, {opsName, 0, 0}, atMost(findingsName, 0)},
		cases:    kdaNames(launchCases),
		run:      launches,
	}
}

// launchCases have 1, 2, 4 and 16 chunks, for either kind of kernels.
func launchCases() []kda.Case { return append(lengths(kda.Moderate), fastLengths(kda.Moderate)...) }

func launches(ctx context.Context, s *session) (Report, error) {
	b := s.program(fusedProgram(Numbers))
	results, err := each(ctx, s.Jobs, s.pick(launchCases()), caseCost, func(ctx context.Context, c kda.Case) adjointResult {
		return lookedAt(ctx, b, c)
	})
	if err != nil {
		return Report{}, err
	}
	for i := range results { // a count is one, however an expression is computed
		results[i].findings = slices.DeleteFunc(results[i].findings, func(f launch.Finding) bool { return f.Kind == NotJudged })
	}
	r := findingReport(results, s.sight.Numbers)
	for _, one := range results {
		if one.err != nil {
			continue
		}
		label := Labels{{"chunks", strconv.Itoa(one.c.Shape.Chunks())}}
		r.Numbers = append(r.Numbers,
			Number{Name: forwardName, Value: Real(one.ran.forward), Labels: label},
			Number{Name: backwardName, Value: Real(one.ran.backward), Labels: label},
			Number{Name: opsName, Value: Real(one.ran.ops), Labels: label})
	}
	return r, nil
}
