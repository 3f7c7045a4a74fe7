package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"time"

	"gpuci/kernels/launch"
)

// Backends builds programs for one backend.
type Backends interface {
	// Name is how reports name the backend.
	Name() string

	// Build makes a program ready to run. What is current is not built again.
	Build(ctx context.Context, p Program) (launch.Backend, error)
}

// Options say what is verified, and on what. Checks and Backends are required.
type Options struct {
	Checks   []Check
	Backends Backends
	Cases    string // pattern of path.Match for the names of cases; "" is all
	Seed     uint64 // changes the inputs of all cases; 0 is as committed
	Jobs     int    // cases at once; 0 is one for each core
	Fixture  string // the manifest of the committed fixture

	Told func(Report) error // takes each report as it comes; may be nil
}

// ErrNoCase says that no case has a name that was asked for.
var ErrNoCase = errors.New("there is no such case")

// session is one run on its way.
type session struct {
	Options
	built map[string]launch.Backend // by the text of the program
}

// Build builds all that the checks need, and runs nothing.
func Build(ctx context.Context, o Options) error {
	_, err := prepare(ctx, o)
	return err
}

// Run runs the checks one after the other, after everything was built. A check that has
// none of the cases is passed over; where all are, the error wraps [ErrNoCase]. Other
// errors end it: what does not build, a file that is not there, a context that is done.
// What a check finds is in its report.
func Run(ctx context.Context, o Options) ([]Report, error) {
	if _, err := path.Match(o.Cases, ""); err != nil {
		return nil, fmt.Errorf("choose cases by %q: %w", o.Cases, err)
	}
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
		r.Check, r.Backend, r.Seconds = c.Name, o.Backends.Name(), time.Since(began).Seconds()
		r.bars, r.partial = c.Bars, o.Cases != ""
		reports = append(reports, r)
		if s.Told != nil {
			if err := s.Told(r); err != nil {
				return reports, err
			}
		}
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("choose cases by %q: %w", o.Cases, ErrNoCase)
	}
	return reports, nil
}

func prepare(ctx context.Context, o Options) (*session, error) {
	s := &session{Options: o, built: make(map[string]launch.Backend)}
	if s.Jobs < 1 {
		s.Jobs = runtime.NumCPU()
	}
	for _, c := range o.Checks {
		for _, p := range c.Programs {
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
	ok, _ := path.Match(s.Cases, name) // the pattern was looked at before
	return ok || s.Cases == ""
}
