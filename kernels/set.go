package kernels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gpuci/kernels/build"
	"gpuci/kernels/check"
	"gpuci/kernels/entry"
	"gpuci/kernels/nvcc"
)

// Set is device code of a workspace, and what must be true of it.
type Set struct {
	Build    build.Set // with no Sources, nothing is compiled
	Compiler string    // nvcc, or the directory of a toolkit or environment; "" looks for one
	Version  string    // of nvcc, that is wanted; "" is any
	Prebuilt []string  // patterns of committed device code, from Build.Root
	Host     []string  // patterns of sources that load, look up and launch
	Rules    Rules
}

// Rules are what is asked of a set.
type Rules struct {
	Budgets       []check.Budget
	Entries       []check.Entries
	Launches      []check.Launch
	Deterministic []check.Deterministic
	Graphs        []check.Graph
	Accepts       []check.Accept
	Cards         []check.Card
	Prebuilt      check.Place // where its patterns stand
	Host          check.Place
}

// Compiles says whether the set has anything to compile.
func (s Set) Compiles() bool { return len(s.Build.Sources) > 0 }

// Sound says what is wrong with a set before anything of it is compiled: patterns that
// find nothing, outputs that would be one file, directories of headers that are not
// there, which the compiler would pass over without a word.
func (s Set) Sound() error {
	if !s.Compiles() {
		return nil
	}
	_, err := build.Outputs(s.Build)
	for _, dir := range s.Build.Include {
		path := dir
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Build.Root, dir)
		}
		if info, serr := os.Stat(path); serr != nil || !info.IsDir() {
			err = errors.Join(err, fmt.Errorf("build the set %s: include %q: there is no such directory in %s", s.Name(), dir, s.Build.Root))
		}
	}
	return err
}

// Name is that of the set.
func (s Set) Name() string { return s.Build.Name }

// Options says how compilers are found and run.
type Options struct {
	build.Options           // its Compiler is found, and not given
	Ask           nvcc.Exec // asks compilers who they are, which links nothing; nil: as they are run
	NVCC          string    // that the caller names, before the set's own
	NVCCWhy       string    // and who that was
}

// Built is what there is of a set's own outputs.
type Built struct {
	build.Result
	Compiler nvcc.Found      // the zero one where nothing was compiled
	Rejected []nvcc.Rejected // the other places where one is, or was looked for
	Modules  []Module        // of the outputs
	Cache    string          // the directory of what was compiled, "" where none was asked for
	Unread   []Unread        // outputs that are not there, or cannot be read
}

// Module is device code of a set, with what is known of where it comes from.
type Module struct {
	entry.Module
	Built  bool   // by the set, and not committed
	Source string // of one that was built; of a committed one the source that makes it, "" for none
}

// Unread is a file that was to be read.
type Unread struct {
	File string
	Err  error
}
