package verify

import (
	"context"
	"fmt"
	"path"
	"slices"

	"gpuci/kernels/cuda"
	"gpuci/kernels/kda/fused"
)

// Look is what a backend watches while a program runs.
type Look string

// The ways in which a program is built.
const (
	Numbers  Look = "numbers"  // nothing: its results count
	Accesses Look = "accesses" // every access, for races and for what nobody wrote
	Bounds   Look = "bounds"   // the ends of every buffer

	// Under the tools of compute-sanitizer, of which each looks for its own.
	Memcheck  Look = Look(cuda.Memcheck)
	Racecheck Look = Look(cuda.Racecheck)
	Initcheck Look = Look(cuda.Initcheck)
	Synccheck Look = Look(cuda.Synccheck)
)

// Program is code for a backend to build.
type Program struct {
	Name    string   // what people call it
	Sources []string // base names of files in the directory of sources
	Look    Look
}

// String names it for messages.
func (p Program) String() string { return fmt.Sprintf("%s (%s)", p.Name, p.Look) }

// The programs. Each has its own sources alone, so that one path cannot take the
// kernels of another.
func fusedProgram(look Look) Program {
	return Program{Name: "fused", Sources: fused.Sources(), Look: look}
}

// opsProgram has nothing but the small kernels.
func opsProgram() Program {
	return Program{Name: "ops", Sources: []string{"kda_ops.cu"}, Look: Numbers}
}

// Check is one thing that is verified.
type Check struct {
	Name     string
	About    string // one line
	Programs []Program
	Bars     []Bar  // by which it is judged where no gate has its own
	Fixed    bool   // its inputs are committed: no seed changes them
	Only     string // the one backend that it is for; "" is any

	cases func(o Options) ([]string, error) // their names
	run   func(ctx context.Context, s *session) (Report, error)
}

// CaseNames are the names of the check's cases. Those of fused-fixture are in the
// fixture that the options name.
func (c Check) CaseNames(o Options) ([]string, error) { return c.cases(o) }

// Checks lists all there are.
func Checks() []Check {
	return []Check{
		adjointCheck(), fixtureCheck(), ratioCheck(), raceCheck(), uninitCheck(), boundsCheck(), launchesCheck(), newtonCheck(), normCheck(),
		sanitizeCheck(), allocCheck(), timeCheck(),
	}
}

// Named gives the checks that have one of these names, or match one of them as a
// pattern of path.Match, in that order and each once. A name without a check is an
// [UnknownError].
func Named(names []string) ([]Check, error) {
	var list []Check
	for _, name := range names {
		found := false
		for _, c := range Checks() {
			ok, err := path.Match(name, c.Name)
			if err != nil {
				return nil, fmt.Errorf("choose checks by %q: %w", name, err)
			}
			found = found || ok
			if ok && !slices.ContainsFunc(list, func(o Check) bool { return o.Name == c.Name }) {
				list = append(list, c)
			}
		}
		if !found {
			return nil, &UnknownError{What: "check", Name: name, Among: allNames()}
		}
	}
	return list, nil
}

// ElsewhereError is a check that does not run on the backend.
type ElsewhereError struct{ Check, Only, Backend string }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s runs on the backend %s alone, not on %s", e.Check, e.Only, e.Backend)
}

// UnknownError is a check or a case that there is not.
type UnknownError struct {
	What  string   // "check" or "case"
	Name  string   // or pattern, as it was asked for
	Among []string // what there is
}

func (e *UnknownError) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.Name) }

func allNames() (names []string) {
	for _, c := range Checks() {
		names = append(names, c.Name)
	}
	return names
}
