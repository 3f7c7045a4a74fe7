package propose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrNothing is what Look returns, wrapped, where there is nothing to make a
// gate of. The proposal says all the same what was seen.
var ErrNothing = errors.New("nothing to make a gate of")

// Options say where to look. The zero value of all but Root works.
type Options struct {
	Root  string   // directory of the workspace, absolute
	Below string   // look below this directory only, relative to Root; "" is all of it
	Env   []string // of the tools that are asked; nil is our own

	Cards []string // compute capabilities of the machine's, "9.0"; nil where nobody said

	CargoTime time.Duration   // for all questions to cargo together; 10 s when 0
	Hurry     <-chan struct{} // closed when nobody waits any longer
}

// cargoTime is what rustup can take to find its own cargo on a cold disk.
const cargoTime = 10 * time.Second

// Proposal is what Look found.
type Proposal struct {
	Text    string // the whole gpuci.toml; "" without gates and kernels
	Gates   []Gate
	Kernels []Kernels
	Left    []Left   // found, and made no gate of
	Notes   []string // what a person should know before the first run, each a sentence

	Elsewhere []string // other gpuci.toml below Root, relative to it
	Unignored []string // what the gates make and git would show as untracked, relative to Root
}

// Left is something that was found and made no gate of.
type Left struct{ What, Why string }

func (l Left) String() string { return l.What + ": " + l.Why }

// Kinds are what Look knows, in words.
func Kinds() []string {
	return []string{
		"Cargo.toml with tests", "go.mod with _test.go files", "CMakeLists.txt with enable_testing() and tests",
		"test_*.py for pytest", "a Makefile with a target test or check", "package.json with a test script",
		"CUDA sources and committed device code",
	}
}

// Look looks at a workspace and proposes gates. The error wraps ErrNothing
// where there are none to propose, and ctx's where that ended first.
func Look(ctx context.Context, opt Options) (Proposal, error) {
	s, err := newSurvey(opt)
	if err != nil {
		return Proposal{}, err
	}
	for _, look := range []func(context.Context){s.dropIgnored, s.cargo, s.golang, s.cmake, s.python, s.makefiles, s.node, s.cuda, s.strangers} {
		if look(ctx); ctx.Err() != nil {
			return Proposal{}, fmt.Errorf("look at %s: %w", opt.Root, context.Cause(ctx))
		}
	}
	s.nameGates()
	s.ignored(ctx)
	p := s.proposal()
	if len(p.Gates)+len(p.Kernels) == 0 {
		return p, fmt.Errorf("%w in %s", ErrNothing, opt.Root)
	}
	p.Text = s.text()
	if err := Check(p.Text); err != nil {
		return p, fmt.Errorf("propose gates for %s: the text does not load, which is a mistake in gpuci init: %w", opt.Root, err)
	}
	return p, nil
}

// survey is a look in progress.
type survey struct {
	opt   Options
	tree  tree
	gates []*Gate
	left  []Left
	notes []string

	kernels []*Kernels
	read    map[string]bool // sources whose headers were looked for

	kinds map[string]bool // directories with a project that a gate was made of, or could be
	cut   []string        // what the gates make that git does not ignore
}

func newSurvey(opt Options) (*survey, error) {
	if opt.Env == nil {
		opt.Env = os.Environ()
	}
	if opt.CargoTime == 0 {
		opt.CargoTime = cargoTime
	}
	if opt.Below == "" {
		opt.Below = "."
	}
	if !filepath.IsLocal(opt.Below) {
		return nil, fmt.Errorf("look below %s: it is not inside the workspace %s: name a directory in it", opt.Below, opt.Root)
	}
	s := &survey{opt: opt, kinds: make(map[string]bool), read: make(map[string]bool)}
	var err error
	s.tree, err = walk(opt.Root, filepath.ToSlash(filepath.Clean(opt.Below)))
	for _, skipped := range s.tree.skipped {
		s.leave(skipped.What, "%s", skipped.Why)
	}
	return s, err
}

// leave says what no gate was made of. One text is said once.
func (s *survey) leave(what, format string, args ...any) {
	l := Left{printable(what), printable(fmt.Sprintf(format, args...))}
	for _, before := range s.left {
		if before == l {
			return
		}
	}
	if s.left = append(s.left, l); len(s.left) > maxLeft {
		s.left[maxLeft] = Left{"and more", fmt.Sprintf("only the first %d are named", maxLeft)}
		s.left = s.left[:maxLeft+1]
	}
}

// maxLeft is what a person reads above a file.
const maxLeft = 40

// path is a file of the workspace on disk.
func (s *survey) path(parts ...string) string {
	return filepath.Join(append([]string{s.opt.Root}, parts...)...)
}

func (s *survey) proposal() Proposal {
	p := Proposal{Left: s.left, Notes: s.notes, Unignored: s.cut}
	for _, g := range s.gates {
		p.Gates = append(p.Gates, *g)
	}
	for _, k := range s.kernels {
		p.Kernels = append(p.Kernels, *k)
	}
	for _, d := range s.tree.dirs {
		if d.path != "." && d.has("gpuci.toml") {
			p.Elsewhere = append(p.Elsewhere, d.file("gpuci.toml"))
		}
	}
	return p
}

// under says whether a directory is another or below it.
func under(dir, top string) bool {
	return top == "." || dir == top || strings.HasPrefix(dir, top+"/")
}
