package inputs

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/worktrees"
)

// Kind is what is wrong with a build product.
type Kind string

// Foreign, Shared and Older say that the gate judged something else than this
// lane's sources. Perhaps says that it may have; Clock, that nothing can be said of
// a product's age.
const (
	Foreign Kind = "foreign" // another lane's product
	Shared  Kind = "shared"  // in a target directory of two lanes
	Older   Kind = "older"   // than a source it is made from
	Perhaps Kind = "perhaps" // another lane's: the same bytes as there, of other sources
	Clock   Kind = "clock"   // a time that is still to come
)

// mayBe is how a Complaint of the kind Perhaps begins, after the product.
const mayBe = " may be lane "

// Doubted says whether some marks of a run hold a Complaint of the kind Perhaps.
func Doubted(marks []string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(m, mayBe) })
}

// Complaint is what is wrong with a product, and what to do about it: a sentence
// each.
type Complaint struct {
	Kind    Kind   `json:"kind"`
	Product string `json:"product"` // its path, absolute
	Text    string `json:"text"`
	Next    string `json:"next"`
}

// Site is where and when products were made.
type Site struct {
	// Lane is the lane that was judged, Lanes all of its repository, with it.
	Lane  worktrees.Tree
	Lanes []worktrees.Tree
	// Earlier are the products that the last runs judged, of other lanes and of
	// this one.
	Earlier []Earlier
	// Builds says that the gate has commands to build with.
	Builds bool
	// Begun is when the gate's build began. A source that was changed later is
	// said to have been changed during the run, which is not told here; zero for
	// now.
	Begun time.Time
	// Getenv reads the environment that the build had; nil stands for an empty
	// one. It only serves to name what set a target directory.
	Getenv func(name string) string
}

// Earlier is a product that an earlier run judged, and took for its lane's.
type Earlier struct {
	Lane    string // its name
	Path    string // absolute
	SHA256  string
	BuildID string
	Built   time.Time // its modification time then; zero where it is not known
	Doubted bool      // it was not certain that it was its lane's: Perhaps
	// Sources says which of the sources of that run are otherwise in the lane that
	// is judged now; nil where nobody knows.
	Sources func(context.Context) (Change, error)
}

// others are the lanes but the one that was judged.
func (s Site) others() []worktrees.Tree {
	var out []worktrees.Tree
	for _, t := range s.Lanes {
		if t.Root != s.Lane.Root {
			out = append(out, t)
		}
	}
	return out
}

// setBy names what set the lane's target directory, "" for cargo's own choice.
func (s Site) setBy() string {
	for _, name := range []string{"CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"} {
		if s.Getenv == nil || s.Getenv(name) == "" {
			continue
		}
		said := s.Getenv(name)
		if !filepath.IsAbs(said) {
			said = filepath.Join(s.Lane.Root, said)
		}
		real, _ := filepath.EvalSymlinks(said)
		if cmp.Or(real, filepath.Clean(said)) == s.Lane.Target {
			return name + " in the environment"
		}
	}
	own := filepath.Join(s.Lane.Root, "target")
	if s.Lane.Target == own {
		return ""
	}
	if real, err := filepath.EvalSymlinks(own); err == nil && real == s.Lane.Target {
		return "the link " + own
	}
	for _, name := range []string{"config", "config.toml"} {
		file := filepath.Join(s.Lane.Root, ".cargo", name)
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte("target-dir")) {
			return "target-dir in " + file
		}
	}
	return ""
}
