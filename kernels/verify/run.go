package verify

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"time"

	"gpuci/kernels/cuda"
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// Backends builds programs for one backend.
type Backends interface {
	// Name is how reports name the backend.
	Name() string

	// Tool is what makes programs of the sources, and its version, as one word:
	// numbers of two compilers are not the same numbers. It is asked first.
	Tool(ctx context.Context) (string, error)

	// Sight is what the backend sees beside the numbers. It is asked after Tool.
	Sight() Sight

	// Build makes a program ready to run. What is current is not built again.
	Build(ctx context.Context, p Program) (launch.Backend, error)
}

// Options say what is verified, and on what. Checks and Backends are required.
type Options struct {
	Checks   []Check
	Backends Backends
	Cases    []string    // names of cases, or patterns of path.Match; none is all
	Seed     uint64      // changes the inputs of all cases; 0 is as committed
	Jobs     int         // cases at once; 0 is one for each core
	Fixture  string      // the manifest of the committed fixture
	Tools    []cuda.Tool // of compute-sanitizer, that fused-sanitize runs under; none is all

	Told func(Report) error // takes each report as it comes; may be nil

	model []kda.Case // in place of modelCase, for tests that have no card
}

// session is one run on its way.
type session struct {
	Options
	tool  string
	sight Sight
	built map[string]launch.Backend // by the text of the program
}

// Build builds all that the checks need, and runs nothing.
func Build(ctx context.Context, o Options) error {
	_, err := prepare(ctx, o)
	return err
}

// Run runs the checks one after the other, after everything was built. A check that has
// none of the cases is passed over; a case that no check has is an [UnknownError], before
// anything is built. Other errors end it: what does not build, a file that is not there,
// a context that is done. What a check finds is in its report.
func Run(ctx context.Context, o Options) ([]Report, error) {
	s, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	var reports []Report
	for _, c := range o.Checks {
		began := time.Now()
		r, err := c.run(ctx, s)
		if err != nil {
			return reports, fmt.Errorf("run check %s: %w", c.Name, err)
		}
		if r.Planned == 0 {
			continue // no case of it was asked for
		}
		r.Check, r.Backend, r.Tool, r.Seconds = c.Name, o.Backends.Name(), s.tool, time.Since(began).Seconds()
		r.bars, r.partial = s.sight.bars(c.Bars), len(o.Cases) > 0 || c.Only == OnCUDA && len(o.Tools) > 0
		r.Counters = append(r.Counters, s.sight.Counters...)
		reports = append(reports, r)
		if s.Told != nil {
			if err := s.Told(r); err != nil {
				return reports, err
			}
		}
	}
	return reports, nil
}

func prepare(ctx context.Context, o Options) (*session, error) {
	s := &session{Options: o, built: make(map[string]launch.Backend)}
	if s.Jobs < 1 {
		s.Jobs = runtime.NumCPU()
	}
	if err := o.knowCases(); err != nil {
		return nil, err
	}
	var err error
	if s.tool, err = o.Backends.Tool(ctx); err != nil {
		return nil, err
	}
	s.sight = o.Backends.Sight()
	for _, c := range o.Checks {
		if c.Only != "" && c.Only != o.Backends.Name() {
			return nil, &ElsewhereError{c.Name, c.Only, o.Backends.Name()}
		}
		for _, p := range c.Programs {
			if !s.sight.has(p.Look) {
				continue
			}
			if s.built[p.String()] != nil {
				continue
			}
			b, err := o.Backends.Build(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("build %s: %w", p, err)
			}
			s.built[p.String()] = b
		}
	}
	return s, nil
}

// program is one that was built.
func (s *session) program(p Program) launch.Backend { return s.built[p.String()] }

// picks says whether a case is asked for.
func (s *session) picks(name string) bool {
	return len(s.Cases) == 0 || slices.ContainsFunc(s.Cases, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // the pattern was looked at before
		return ok
	})
}

// knowCases is an error unless each pattern has a case: one that was mistyped beside
// others would not be missed.
func (o Options) knowCases() error {
	var all []string
	for _, c := range o.Checks {
		names, err := c.cases(o)
		if err != nil {
			return err
		}
		all = append(all, names...)
	}
	for _, pattern := range o.Cases {
		found := false
		for _, name := range all {
			ok, err := path.Match(pattern, name)
			if err != nil {
				return fmt.Errorf("choose cases by %q: %w", pattern, err)
			}
			found = found || ok
		}
		if !found {
			return &UnknownError{What: "case", Name: pattern, Among: all}
		}
	}
	return nil
}
