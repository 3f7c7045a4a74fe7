package spool

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/worktrees"
)

// Options say where the place is, and for whom. Shared, Night, Here, State, Past and
// Version are required.
type Options struct {
	Shared   string         // directory that nodes see under the same path; absolute
	Night    string         // id of the night, or of what is run by hand: letters, digits, ".", "-"
	Here     worktrees.Lane // of the repository
	State    string         // where runs of it are recorded here, that results are moved to
	Past     *gates.Past    // the history: what of it nodes need goes along, and results come into it
	Named    string         // the base branch, where the configuration names one
	KeepRuns int            // as of gates.Options
	Scratch  string         // of a node, for checkouts; "" is its temporary directory
	Program  string         // the gpuci that nodes run; "" for this one
	Version  string         // of it

	NoPressure bool // nodes do not wait to breathe
	Verbose    bool // their logs say every step

	// Archive makes the archive of `gpuci kernels bundle` of a task's gate, for nodes
	// without a toolchain, in a file. It is asked for tasks that carry one.
	Archive func(ctx context.Context, t executor.Task, file string) error
	Closing func() error // gives back what Archive took; may be nil

	Note func(string) // one line for who watches; may be nil
}

// Spool is the place, as the machine sees it that hands tasks over. Its methods are called
// by one goroutine.
type Spool struct {
	o     Options
	place place
	night string // directory of the night

	content map[string]string    // keys of contents that were put there, by what they are of
	program string               // the directory of the program, once it is there
	missed  map[Result]time.Time // when files of it were first missed
}

// Carry is what of a content goes to a node.
type Carry string

// Sources go along, and the node builds; or an archive of what was built here.
const (
	Sources Carry = "sources"
	Archive Carry = "bundle"
)

// nightForm and cookieForm are what names of nights and tasks look like: nothing else
// leads to a path.
var (
	nightForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$`)
	cookieForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)
)

// Open makes the place, or finds it. An error says what is wrong with the directory: it
// cannot be written to, it is somebody else's, it is no directory.
func Open(o Options) (*Spool, error) {
	if !nightForm.MatchString(o.Night) {
		return nil, fmt.Errorf("open the shared place: %q is no name of a night", o.Night)
	}
	p, err := makePlace(o.Shared)
	if err != nil {
		return nil, err
	}
	s := &Spool{o: o, place: p, night: filepath.Join(p.dir, "nights", o.Night), content: make(map[string]string), missed: make(map[Result]time.Time)}
	if err := s.makeNight(); err != nil {
		return nil, fmt.Errorf("use the shared directory %s: %w", o.Shared, err)
	}
	return s, nil
}

func (s *Spool) note(format string, args ...any) {
	if s.o.Note != nil {
		s.o.Note(fmt.Sprintf(format, args...))
	}
}

// Close lets go of the place. What is in it stays.
func (s *Spool) Close() error {
	if s.o.Closing == nil {
		return nil
	}
	return s.o.Closing()
}
