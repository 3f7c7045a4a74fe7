package verify

import (
	"context"
	"fmt"
	"strings"
)

// Look is what a backend watches while a program runs.
type Look string

// The ways in which a program is built.
const (
	Numbers  Look = "numbers"  // nothing: its results count
	Accesses Look = "accesses" // every access, for races and for what nobody wrote
	Bounds   Look = "bounds"   // the ends of every buffer
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
	return Program{Name: "fused", Sources: []string{"kda_forward.cu", "kda_bk2.cu", "kda_bk1.cu"}, Look: look}
}

func opsProgram() Program {
	return Program{Name: "ops", Sources: []string{"kda_ops.cu"}, Look: Numbers}
}

// Check is one thing that is verified.
type Check struct {
	Name     string
	About    string // one line
	Programs []Program
	Bars     []Bar // of the document

	run func(ctx context.Context, s *session) (Report, error)
}

// Checks lists all there are.
func Checks() []Check {
	return []Check{
		adjointCheck(), fixtureCheck(), ratioCheck(), raceCheck(), uninitCheck(), boundsCheck(), launchesCheck(), newtonCheck(), normCheck(),
	}
}

// Named gives the checks of these names, in that order. The error names those there
// are.
func Named(names []string) ([]Check, error) {
	var list []Check
	for _, name := range names {
		c, ok := named(name)
		if !ok {
			return nil, fmt.Errorf("choose checks: there is no check %q; there are %s", name, strings.Join(allNames(), ", "))
		}
		list = append(list, c)
	}
	return list, nil
}

func named(name string) (Check, bool) {
	for _, c := range Checks() {
		if c.Name == name {
			return c, true
		}
	}
	return Check{}, false
}

func allNames() (names []string) {
	for _, c := range Checks() {
		names = append(names, c.Name)
	}
	return names
}
