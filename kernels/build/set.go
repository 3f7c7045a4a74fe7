package build

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
)

// Kind is what is made of a source.
type Kind string

// The kinds. A cubin and PTX are of one architecture each; a fat binary and an
// object hold all those of the set.
const (
	Cubin  Kind = "cubin"
	PTX    Kind = "ptx"
	Fatbin Kind = "fatbin"
	Object Kind = "object"
)

// flag is nvcc's option for a kind, "" for what is none.
func (k Kind) flag() string {
	switch k {
	case Cubin, PTX, Fatbin:
		return "-" + string(k)
	case Object:
		return "-c"
	}
	return ""
}

// ending is that of its files.
func (k Kind) ending() string {
	if k == Object {
		return "o"
	}
	return string(k)
}

// Set is a group of sources that are compiled alike.
type Set struct {
	Name          string
	Root          string   // where the compiler runs, and what every relative path is below: absolute
	Sources       []string // files or globs; ** is any number of directories
	Architectures []string // "sm_90", "sm_90a"; "compute_90" is PTX
	Kinds         []Kind   // none is cubins, and PTX for each compute_ architecture
	Flags         []string // as nvcc takes them
	Include       []string // directories, in order
	Output        string   // the directory of what is made
	Pattern       string   // of the names in it: {dir} of the source, {stem}, {arch}, {ext}; "" is [DefaultPattern]
	Keep          []string // patterns of committed files, which no output may be
	Beside        []Set    // others of the workspace, whose outputs are theirs; their roots are this one's
}

// DefaultPattern is a name for every unit that no other has.
const DefaultPattern = "{dir}/{stem}.{arch}.{ext}"

// archName is an architecture as nvcc names them: the letter is for what runs on
// this one alone (a) or on its family (f).
var archName = regexp.MustCompile(`^(sm|compute)_([0-9]{2,3}[af]?)$`)

// check says everything that is wrong with the set.
func (s Set) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !filepath.IsAbs(s.Root) {
		bad("root %q: must be absolute", s.Root)
	}
	if len(s.Sources) == 0 {
		bad("no sources: name a file or a glob")
	}
	if len(s.Architectures) == 0 {
		bad(`no architectures: name one, as in "sm_90"`)
	}
	if s.Output == "" {
		bad("no output directory")
	}
	for _, a := range s.Architectures {
		if !archName.MatchString(a) {
			bad(`architecture %q: not of the form "sm_90", "sm_90a" or "compute_90"`, a)
		}
	}
	for _, k := range s.Kinds {
		if k.flag() == "" {
			bad("kind %q: not one of cubin, ptx, fatbin, object", k)
		}
	}
	errs = append(errs, s.refuse()...)
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("build the set %s: %w", s.Name, err)
	}
	return nil
}
