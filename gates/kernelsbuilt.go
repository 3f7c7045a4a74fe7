package gates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gpuci/kernels"
	"gpuci/kernels/build"
	"gpuci/pressure"
)

// compiled turns what came of a build into findings.
func (f *flow) compiled(ctx context.Context, s *setBuild, err error) bool {
	for _, note := range s.built.Notes {
		f.opt.note("kernels %s: %s", s.set.Name(), note)
	}
	var none *kernels.NoCompilerError
	var failed *build.Failure
	switch {
	case err == nil:
		return true
	case ctx.Err() != nil:
	case errors.As(err, &none):
		for _, r := range none.Rejected {
			f.opt.note("kernels %s: not %s: %s", s.set.Name(), r.Path, r.Why)
		}
		f.refuse(fmt.Sprintf("kernels %s: %v", s.set.Name(), none.Err), "gpuci doctor says which compilers are here")
	case errors.As(err, &failed) && errors.Is(err, pressure.ErrRefused):
		f.refuse(fmt.Sprintf("kernels %s: %v", s.set.Name(), pressure.ErrRefused), `boot with psi=1, or let gates go on with a mark: unknown = "mark" in [pressure]`)
	case errors.As(err, &failed):
		first := failed.Units[0]
		text := fmt.Sprintf("kernels %s: %s: %s", s.set.Name(), first, firstLines(first.Err))
		if more := len(failed.Units) - 1; more > 0 {
			text += fmt.Sprintf("; and %s more", plural(more, "unit"))
		}
		f.find(BuildFailed, text)
	default:
		f.find(BuildFailed, "kernels "+strings.TrimPrefix(err.Error(), "build the set "))
		f.next("gpuci kernels build " + s.set.Name() + " says the same, and gpuci config what the set is")
	}
	return false
}

// firstLines is what of a compiler's error fits into a line: its first complaint.
func firstLines(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for _, line := range lines {
		if strings.Contains(line, "error") || strings.Contains(line, "fatal") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// kernelProgress writes a build's progress to the log, and what is compiled to the
// person who watches.
type kernelProgress struct {
	set         string
	log         io.Writer
	note        func(string, ...any)
	units, done int
}

func (p *kernelProgress) Start(units int) { p.units = units }

func (p *kernelProgress) Waiting(u build.Unit) {
	p.note("kernels %s: somebody else compiles %s: waiting for that", p.set, u)
}

func (p *kernelProgress) Compiling(u build.Unit) {
	_, _ = fmt.Fprintf(p.log, "compiling %s: %s\n", u, u.Why)
	p.note("kernels %s: %d of %d, compiling %s", p.set, p.done+1, p.units, u)
}

func (p *kernelProgress) Done(u build.Unit) {
	p.done++
	_, _ = fmt.Fprintf(p.log, "%s %s -> %s\n", u.Outcome, u, u.Output)
	if u.Err != nil {
		_, _ = fmt.Fprintf(p.log, "%v\n", u.Err)
	} else if u.Outcome == build.Compiled && u.Log != "" {
		_, _ = io.WriteString(p.log, u.Log)
	}
}

func (p *kernelProgress) Finish(build.Result) {}
