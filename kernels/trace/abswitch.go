package trace

import (
	"slices"
	"strings"
)

// Switch is a variable that has a program launch kernels one by one where it would launch
// CUDA graphs.
type Switch struct {
	Whose       string // who reads it
	Name, Value string
	Added       bool   // the value goes behind what is there already
	Besides     string // what else it changes; "": nothing
}

// Switches are those that are known. A program that does not know one takes no notice of
// it. They are read in: ggml-cuda (the graph's is_enabled), torch._dynamo.config and
// torch._dynamo.optimize, xla's GetCommandBufferConfig. TORCHINDUCTOR_CUDAGRAPHS=0 is none:
// torch._inductor.config takes 1 for on, and mode="reduce-overhead" sets its own. Graphs
// that a program captures by hand (torch.cuda.graph, make_graphed_callables) have no
// switch but the program's.
func Switches() []Switch {
	return []Switch{
		{Whose: "llama.cpp, ggml", Name: "GGML_CUDA_DISABLE_GRAPHS", Value: "1"},
		{Whose: "PyTorch", Name: "TORCH_COMPILE_DISABLE", Value: "1", Besides: "torch.compile with all that it fuses"},
		{Whose: "PyTorch", Name: "TORCHDYNAMO_DISABLE", Value: "1", Besides: "torch.compile with all that it fuses"},
		{Whose: "JAX, XLA", Name: "XLA_FLAGS", Value: "--xla_gpu_enable_command_buffer=", Added: true},
	}
}

// Without gives an environment with graphs switched off, and what is another in it than
// before, as NAME=VALUE. It changes nothing of env's own.
func Without(switches []Switch, env []string) (with, set []string) {
	with = slices.Clone(env)
	for _, s := range switches {
		before, value := variable(with, s.Name), s.Value
		if s.Added && before != "" {
			if slices.Contains(strings.Fields(before), value) {
				continue
			}
			value = before + " " + value
		}
		if value == before {
			continue
		}
		with = append(without(with, s.Name), s.Name+"="+value)
		set = append(set, s.Name+"="+value)
	}
	return with, set
}
