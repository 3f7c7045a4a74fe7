package verify

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"gpuci/kernels/launch"
)

// CanarySource is the text of canary.cu, which has a wrong kernel for each kind of
// finding. A backend builds it as [Program] "canary".
//
//go:embed canary.cu
var CanarySource []byte

// CanaryFile is the base name under which the canary program has it.
const CanaryFile = "canary.cu"

func canaryProgram(look Look) Program {
	return Program{Name: "canary", Sources: []string{CanaryFile}, Look: look}
}

// canaryThreads is how many threads, and elements of each buffer, canary.cu is
// written for.
const canaryThreads = 64

// canaries shows a backend one wrong kernel for each kind, and tells the kinds that it
// does not see there.
func canaries(ctx context.Context, b launch.Backend, kinds []launch.Kind) (unseen []launch.Kind, err error) {
	for _, kind := range kinds {
		seen, err := shown(ctx, b, kind, "canary_"+strings.ReplaceAll(string(kind), "-", "_"))
		if err != nil {
			return nil, err
		}
		if !seen {
			unseen = append(unseen, kind)
		}
	}
	return unseen, nil
}

// shown says whether the backend sees what is wrong with one of the kernels.
func shown(ctx context.Context, b launch.Backend, kind launch.Kind, kernel string) (bool, error) {
	r, err := b.Run(ctx, canary(kernel))
	if err != nil {
		return false, fmt.Errorf("run the canary for %s: %w", kind, err)
	}
	return r.Found(kind), nil
}

// canaryCounter is how many of the kinds were seen, for the witness line.
func canaryCounter(kinds, unseen []launch.Kind) Counter {
	return Counter{"canaries", fmt.Sprintf("%d/%d", len(kinds)-len(unseen), len(kinds))}
}

// canary is the job that is wrong in the way of that kernel.
func canary(kernel string) launch.Job {
	in := make([]float32, canaryThreads)
	for i := range in {
		in[i] = float32(i)
	}
	return launch.Job{
		Buffers: []launch.Buffer{
			{Name: "in", Count: canaryThreads, Data: in, Role: launch.Input},
			{Name: "scratch", Count: canaryThreads, Role: launch.Scratch},
			{Name: "out", Count: canaryThreads, Role: launch.Output},
		},
		Launches: []launch.Launch{{
			Kernel: kernel, Phase: "canary",
			Grid: [3]int{1, 1, 1}, Block: [3]int{canaryThreads, 1, 1},
			Args: []launch.Arg{launch.Of("in"), launch.Of("scratch"), launch.Of("out")},
		}},
	}
}
