package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// abFlags ask for a second run, with CUDA graphs switched off.
type abFlags struct {
	ab        string // "eager", or nothing
	env, args []string
	compare   []string
}

// The two runs. The word stands in for {run}.
const (
	withGraphs  = "graphs"
	eager       = "eager"
	placeOfRun  = "{run}"
	eagerEnding = "-eager" // of the second one's -o
)

func (f *abFlags) defineAB(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.ab, "ab", "", "`eager`: run CMD once more with CUDA graphs off, and compare the two")
	s.StringArrayVar(&f.env, "eager-env", nil, "the program's own switch, `NAME=VALUE`, in place of those that are known; repeatable")
	s.StringArrayVar(&f.args, "eager-arg", nil, "likewise an `ARG`, behind CMD's own; repeatable")
	s.StringArrayVar(&f.compare, "compare", nil, "a `FILE` that both runs write, compared byte for byte; {run} in it and in CMD is graphs or eager; repeatable")
	_ = cmd.RegisterFlagCompletionFunc("ab", cobra.FixedCompletions([]cobra.Completion{eager}, noWords)) // of a flag that is there
}

func (f *abFlags) checkAB(cmd *cobra.Command) error {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	for _, name := range []string{"eager-env", "eager-arg", "compare"} {
		if cmd.Flags().Changed(name) && f.ab == "" {
			return usage("--"+name+" is of --ab eager", "gpuci trace --ab eager --"+name+" …")
		}
	}
	if cmd.Flags().Changed("ab") && f.ab != eager {
		return usage(fmt.Sprintf("--ab %q: there is eager alone", f.ab), "gpuci trace --ab eager -- CMD")
	}
	for _, kv := range f.env {
		if name, _, is := strings.Cut(kv, "="); !is || name == "" {
			return usage(fmt.Sprintf("--eager-env %q is no NAME=VALUE", kv), "--eager-env MY_GRAPHS=0")
		}
	}
	if slices.Contains(f.compare, "") {
		return usage("--compare is empty", "is a variable in it not set?")
	}
	return nil
}

// argvOf is the command of one of the two runs; that of a run alone is as it is.
func (f *abFlags) argvOf(argv []string, run string) []string {
	if f.ab == "" {
		return argv
	}
	all := slices.Clone(argv)
	if run == eager {
		all = append(all, f.args...)
	}
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], placeOfRun, run)
	}
	return all
}

// eagerEnv is the environment of the second run, and what is said to be set. Who names a
// switch knows the program: the others stay away then.
func (f *abFlags) eagerEnv(env []string) (with, set []string) {
	if len(f.env)+len(f.args) == 0 {
		return trace.Without(trace.Switches(), env)
	}
	var own []trace.Switch
	for _, kv := range f.env {
		name, value, _ := strings.Cut(kv, "=")
		own = append(own, trace.Switch{Name: name, Value: strings.ReplaceAll(value, placeOfRun, eager)})
	}
	with, _ = trace.Without(own, env)
	return with, append(slices.Clone(f.env), f.args...)
}

// traceAB runs the program with graphs and without, and compares. Its exit code is that of
// the first run, unless gpuci itself was told to end in the second.
func (t *tracing) traceAB(ctx context.Context) error {
	p, err := openPair(t)
	if err != nil {
		t.rec.close(true)
		return err
	}
	defer p.close()
	end, err := t.run(ctx)
	if err != nil {
		t.rec.close(true)
		return err
	}
	t.tell()
	if why := p.alone(ctx); why != "" {
		p.notRun(why)
		return coded{code: end.code}
	}
	if err := p.second(ctx); err != nil {
		p.notRun(err.Error())
		return coded{code: end.code}
	}
	if ctx.Err() != nil {
		p.notRun("it was interrupted: the two are not compared")
		return coded{code: exitCode(context.Cause(ctx), true)}
	}
	p.tell()
	return coded{code: end.code}
}

// alone is why there is no second run; "": there is one.
func (p *pair) alone(ctx context.Context) string {
	switch r := p.graphs.told; {
	case ctx.Err() != nil:
		return "the first one was interrupted"
	case r == nil:
		return "the first one is not counted"
	case r.Uncounted() != "":
		return "of the first one nothing was counted: " + printable(r.Uncounted())
	case !slices.ContainsFunc(r.Processes, func(p trace.ProcessReport) bool { return p.Whole[trace.GraphLaunches] > 0 }):
		return "the program launched no graph: there is nothing to switch off"
	}
	return ""
}

// notRun says that there is nothing to compare.
func (p *pair) notRun(why string) {
	p.graphs.console.note("no comparison of a run with graphs off: " + why)
	p.answer(trace.AB{Type: "trace-ab", Effect: trace.NotRun, Why: why, Switch: p.set})
}

func (p *pair) answer(ab trace.AB) {
	t := p.graphs
	if !t.flags.json {
		return
	}
	if err := t.deviceLine(ab); err != nil && !unheard(err) {
		t.console.note(err.Error())
	}
}

// secondOut is where the second recording goes, where the user said so of the first.
func (f traceFlags) secondOut() string {
	if f.out == "" {
		return ""
	}
	return strings.TrimRight(f.out, string(os.PathSeparator)) + eagerEnding
}
