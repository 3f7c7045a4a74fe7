package build

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
}

// DefaultPattern is a name for every unit that no other has.
const DefaultPattern = "{dir}/{stem}.{arch}.{ext}"

// archName is an architecture as nvcc names them: the letter is for what runs on
// this one alone (a) or on its family (f).
var archName = regexp.MustCompile(`^(sm|compute)_([0-9]{2,3}[af]?)$`)

// owned are the options that the set itself decides, or that make nvcc do
// something else than compile.
var owned = []string{"-o", "--output-file", "-odir", "--output-directory", "-cubin", "--cubin", "-ptx", "--ptx", "-fatbin", "--fatbin",
	"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-dlink", "--device-link", "-lib", "--lib", "-link", "--link",
	"-run", "--run", "-E", "--preprocess", "-M", "-MM", "-MD", "-MMD", "-MF", "-MT", "-MP", "--dependency-output",
	"--generate-dependencies-with-compile", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
	"-dryrun", "--dryrun", "-keep", "--keep", "-x", "--x", "-h", "--help", "-V", "--version", "-clean", "--clean-targets"}

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
	for _, f := range s.Flags {
		if name, _, _ := strings.Cut(f, "="); slices.Contains(owned, name) {
			bad("flag %s: is decided by the set's kinds, architectures and output", f)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("build the set %s: %w", s.Name, err)
	}
	return nil
}
