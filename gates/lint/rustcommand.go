package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/gates/lint/crates"
)

// cargoTime bounds `cargo metadata --no-deps`, which takes some 50 ms; rustup may want
// to do more.
const cargoTime = 10 * time.Second

// spaces are the Cargo workspaces that were asked for, by their manifest.
type spaces struct {
	ask  crates.Ask
	read map[string]*crates.Space
	errs map[string]error
}

func newSpaces(ctx context.Context) *spaces {
	return &spaces{
		read: make(map[string]*crates.Space), errs: make(map[string]error),
		ask: func(_ context.Context, dir string, argv ...string) ([]byte, error) {
			out, exit, err := ask(ctx, cargoTime, dir, []string{"RUSTUP_AUTO_INSTALL=0", "CARGO_TERM_COLOR=never"}, argv...)
			if err == nil && !exit.Clean() {
				err = fmt.Errorf("%s: %s", argv[0], exit)
			}
			return out, err
		},
	}
}

func (s *spaces) at(manifest string) (*crates.Space, error) {
	if s.read[manifest] == nil && s.errs[manifest] == nil {
		s.read[manifest], s.errs[manifest] = crates.Read(context.Background(), manifest, s.ask)
	}
	return s.read[manifest], s.errs[manifest]
}

// cargoTest finds the words after `cargo test`, or after `cargo nextest run`.
func cargoTest(words []string) (rest []string, ok bool) {
	if base(words[0]) != "cargo" {
		return nil, false
	}
	rest = words[1:]
	for len(rest) > 0 {
		switch w := rest[0]; {
		case w == "--config" || w == "-Z" || w == "--color" || w == "-C":
			rest = rest[min(2, len(rest)):]
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+") || w == "miri" || w == "llvm-cov" || w == "careful":
			rest = rest[1:]
		case w == "test" || w == "t":
			return rest[1:], true
		case w == "nextest" && len(rest) > 1 && (rest[1] == "run" || rest[1] == "r"):
			return rest[2:], true
		default:
			return nil, false
		}
	}
	return nil, false
}

// rustTests looks through the Rust tests that a command runs.
func (u *unit) rustTests(all, words []string) {
	dir, ok := u.where(all)
	if !ok {
		return
	}
	c, err := crates.Parse(words)
	if err != nil {
		u.cannot("which tests `%s` runs: %v", shown(all), err)
		return
	}
	if c.NoRun {
		return
	}
	manifest := manifestOf(dir, c.Manifest)
	space, err := u.spaces.at(manifest)
	if err == nil {
		var targets []crates.Target
		if targets, err = space.Select(c, filepath.Dir(manifest)); err == nil {
			u.rustTargets(all, c, space, targets)
			return
		}
	}
	u.cannot("which tests `%s` runs: %v", shown(all), err)
}

// rustTargets looks through the sources of targets.
func (u *unit) rustTargets(words []string, c crates.Choice, space *crates.Space, targets []crates.Target) {
	if c.Doc {
		u.beyond("gate %s: the examples in the documentation, which `%s` runs, are not read", u.gate.Name, shown(words))
		return
	}
	n := 0
	text := func(path string) (string, bool) {
		_, text, ok := u.open(path)
		return text, ok
	}
	for _, t := range targets {
		for _, src := range t.Sources(text, space.Features(c, t)) {
			n++
			if in, ok := u.testFile(src.Path, src.Module+" "+c.Part()); ok {
				in.rust(c, src.Module)
			}
		}
	}
	u.none(words, n)
}

// manifestOf is the Cargo.toml that a command means: the one that it names, or the
// nearest above where it runs.
func manifestOf(dir, named string) string {
	if named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(dir, named)
		}
		return named
	}
	for at := dir; ; at = filepath.Dir(at) {
		if path := filepath.Join(at, "Cargo.toml"); exists(path) || at == filepath.Dir(at) {
			if exists(path) {
				return path
			}
			return filepath.Join(dir, "Cargo.toml")
		}
	}
}

// testBinaries counts those that a cargo command links.
func (u *unit) testBinaries(words []string) int {
	rest, ok := cargoTest(words)
	if !ok || u.nowhere {
		return 0
	}
	c, err := crates.Parse(slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return w == "" }))
	if err != nil {
		return 0
	}
	manifest := manifestOf(u.dir, c.Manifest)
	space, err := u.spaces.at(manifest)
	if err != nil {
		return 0
	}
	targets, err := space.Select(c, filepath.Dir(manifest))
	if err != nil {
		return 0
	}
	return len(targets)
}
