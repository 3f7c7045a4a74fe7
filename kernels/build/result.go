package build

import (
	"fmt"
	"strings"
	"time"
)

// Outcome is what became of a unit.
type Outcome string

// The outcomes.
const (
	Current  Outcome = "current"  // the output was what it must be
	Cached   Outcome = "cached"   // it was taken from the cache
	Compiled Outcome = "compiled" // by this build
	Failed   Outcome = "failed"
)

// Unit is one output and what became of it.
type Unit struct {
	Source  string        // as the set has it: below its root, or absolute
	Arch    string        // "sm_90"; of several, "sm_80+sm_90"
	Kind    Kind          //
	Output  string        // absolute
	Outcome Outcome       //
	Why     string        // of what was compiled: what changed
	Log     string        // what the compiler wrote to stderr, then or now; ptxas -v is in it
	Took    time.Duration // of the compile; 0 where there was none
	Err     error         // of one that failed
}

func (u Unit) String() string { return fmt.Sprintf("%s (%s %s)", u.Source, u.Kind, u.Arch) }

// Result is every unit, in the order of the sources, then kinds, then architectures.
type Result struct {
	Units []Unit
	Notes []string // what did not fail and ought to be known
}

// Count is how many units came out so.
func (r Result) Count(o Outcome) int {
	n := 0
	for _, u := range r.Units {
		if u.Outcome == o {
			n++
		}
	}
	return n
}

// Failure says that units failed, all of them.
type Failure struct {
	Set   string
	Units []Unit
}

func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "build the set %s: %d failed", f.Set, len(f.Units))
	for _, u := range f.Units {
		fmt.Fprintf(&b, "\n%s: %v", u, u.Err)
	}
	return b.String()
}

// Unwrap gives the error of each.
func (f *Failure) Unwrap() []error {
	var all []error
	for _, u := range f.Units {
		all = append(all, u.Err)
	}
	return all
}

// CompileError is a compiler's own no. Its text is the compiler's.
type CompileError struct {
	Text string // what it wrote
	Err  error  // how it ended
}

func (e *CompileError) Error() string {
	if text := strings.TrimRight(e.Text, "\n"); text != "" {
		return fmt.Sprintf("%v\n%s", e.Err, text)
	}
	return e.Err.Error()
}

func (e *CompileError) Unwrap() error { return e.Err }
