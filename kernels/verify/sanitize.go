package verify

import (
	"context"
	"fmt"
	"slices"

	"gpuci/kernels/cuda"
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// sanitizerName is the metric of what a tool reports, by tool.
const sanitizerName = "sanitizer-errors"

func sanitizeCheck() Check {
	c := Check{
		Name: "fused-sanitize", Only: OnCUDA,
		About: "the fused path on a card under compute-sanitizer: memcheck, racecheck, initcheck and synccheck report nothing",
		Bars:  []Bar{atMost(sanitizerName, 0), atMost(findingsName, 0)},
		cases: kdaNames(checkCases),
		run:   sanitize,
	}
	for _, tool := range cuda.Tools() {
		c.Programs = append(c.Programs, fusedProgram(Look(tool)), canaryProgram(Look(tool)))
	}
	return c
}

// canaryOf is the kernel that a tool is shown first, wrong in the way that it is there for.
var canaryOf = map[cuda.Tool]string{
	cuda.Memcheck: "canary_out_of_bounds", cuda.Racecheck: "canary_race", cuda.Initcheck: "canary_uninitialised", cuda.Synccheck: "canary_half_a_warp",
}

// sanitize runs the cases under each tool that is asked for, behind a kernel that is
// wrong in the way that the tool is there for.
func sanitize(ctx context.Context, s *session) (Report, error) {
	tools := s.Tools
	if len(tools) == 0 {
		tools = cuda.Tools()
	}
	var all []adjointResult
	var unseen, kinds []launch.Kind
	var numbers []Number
	for _, tool := range tools {
		kinds = append(kinds, tool.Sees())
		seen, err := shown(ctx, s.program(canaryProgram(Look(tool))), tool.Sees(), canaryOf[tool])
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", tool, err)
		}
		if !seen {
			unseen = append(unseen, tool.Sees())
		}
		results, err := each(ctx, s.Jobs, s.pick(checkCases()), caseCost, func(ctx context.Context, c kda.Case) adjointResult {
			return lookedAt(ctx, s.program(fusedProgram(Look(tool))), c)
		})
		if err != nil {
			return Report{}, err
		}
		n := Number{Name: sanitizerName, Labels: Labels{{"tool", string(tool)}}}
		for i, r := range results {
			for _, f := range r.findings {
				n.Value += Real(f.Count)
			}
			results[i].c.Name = string(tool) + "/" + r.c.Name
		}
		all, numbers = append(all, results...), append(numbers, n)
	}
	if len(all) == 0 {
		return Report{}, nil
	}
	r := findingReport(all, slices.Compact(slices.Clone(kinds)))
	r.Numbers = append(numbers, r.Numbers...)
	r.Unseen = unseen
	r.Counters = append([]Counter{counter("tools", len(tools)), canaryCounter(kinds, unseen)}, r.Counters...)
	return r, nil
}
