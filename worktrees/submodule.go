package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// SubmoduleError says that a submodule of a scratch lane is to be had nowhere.
type SubmoduleError struct {
	Path   string // from the scratch lane's root
	Commit string // hex
	Err    error
}

func (e *SubmoduleError) Error() string {
	return fmt.Sprintf("take submodule %s at %.10s: %v; check it out in a lane once: git submodule update --init --recursive -- %s",
		e.Path, e.Commit, e.Err, e.Path)
}

func (e *SubmoduleError) Unwrap() error { return e.Err }

// origin is what a checkout is filled from.
type origin struct {
	prefix string   // of its paths, from the scratch lane's root: "" or "lib/sub/"
	stores []string // repositories that may have its submodules, the nearest first
	roots  []string // checkouts that may hold them, the nearest first
	like   *Lane    // a lane at the very same commit, if there is one
	copied bool     // like is to be copied as it is
	url    string   // where it comes from: relative ones of its submodules count from here
	parent string   // where what it is a submodule of comes from
}

// at is a path from the scratch lane's root.
func (o origin) at(path string) string { return o.prefix + path }

// origin is where the scratch lane's own submodules may be: in every lane.
func (s *Scratch) origin(ctx context.Context, commit string) origin {
	o := origin{stores: []string{s.from.CommonDir}, roots: []string{s.from.Root}, url: s.settings["remote.origin.url"]}
	if readHead(ctx, s.from).commit == commit {
		o.like = &s.from
	}
	if o.url == "" {
		o.url = s.from.Root
	}
	trees, _ := List(ctx, s.from) // one that is broken has nothing to take
	for _, t := range trees {
		if _, scratch := ScratchID(t); !scratch && t.Root != s.from.Root {
			o.roots = append(o.roots, t.Root)
		}
	}
	books, _ := os.ReadDir(filepath.Join(s.from.CommonDir, "worktrees"))
	for _, b := range books {
		if dir := filepath.Join(s.from.CommonDir, "worktrees", b.Name()); dir != s.place.admin(s.from.CommonDir) {
			o.stores = append(o.stores, dir)
		}
	}
	return o
}

// fill takes the submodules of the scratch lane at a commit.
func (s *Scratch) fill(ctx context.Context, commit string) error {
	tracked, err := s.trackedAt(ctx, commit)
	if err != nil {
		return err
	}
	s.Notes, s.cargo = nil, nil
	if err := s.describe(s.Lane, tracked, ""); err != nil {
		return err
	}
	links := linksOf(tracked)
	if len(links) == 0 {
		return nil
	}
	return s.takeAll(ctx, s.Lane, links, s.origin(ctx, commit))
}

// describe keeps what matters of a checkout's files.
func (s *Scratch) describe(l Lane, tracked []trackedPath, prefix string) error {
	s.noteCargo(tracked, prefix)
	return s.describePointers(l, tracked, prefix)
}

// takeAll takes the submodules of a checkout, which are by path the commits they
// are to be at, and theirs.
func (s *Scratch) takeAll(ctx context.Context, into Lane, links map[string]string, o origin) error {
	if len(links) == 0 {
		return nil
	}
	modules, err := s.readModules(ctx, into)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(links))
	for path := range links {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := s.take(ctx, into, path, links[path], modules[path], o); err != nil {
			return err
		}
	}
	return nil
}

// take takes one submodule, or leaves it out and says so.
func (s *Scratch) take(ctx context.Context, into Lane, path, commit string, m module, o origin) error {
	here := o.at(path)
	if m.update == "none" || s.settings["submodule."+m.name+".update"] == "none" || s.settings["submodule."+m.name+".active"] == "false" {
		s.remark("submodule %s is left out: the configuration says so", here)
		return nil
	}
	inner, bare := o.inner(path, m), false
	if o.like != nil {
		nested, err := laneAt(filepath.Join(o.like.Root, path))
		switch bare = err != nil; {
		case bare && o.copied:
			s.remark("submodule %s is left out: lane %s has not checked it out", here, s.From)
			return nil
		case !bare && (o.copied || readHead(ctx, nested).commit == commit):
			inner.like, inner.copied = &nested, o.copied
		}
	}
	sub, err := s.checkOut(ctx, into, path, commit, m, inner)
	if bare && errors.Is(err, errNowhere) {
		s.remark("submodule %s is left out: it is nowhere here, and lane %s has not checked it out either", here, s.From)
		return nil
	}
	if err == nil && m.name != "" && into.CommonDir != s.CommonDir {
		// So that git takes it for initialised. The repository's own
		// configuration is not ours to write to.
		_, err = s.place.git(ctx, into, nil, "config", "submodule."+m.name+".url", cmp.Or(inner.url, "."))
	}
	if err != nil {
		return err
	}
	return s.fillSubmodule(ctx, sub, inner)
}

// fillSubmodule does for a submodule what has been done for the scratch lane.
func (s *Scratch) fillSubmodule(ctx context.Context, sub Lane, o origin) error {
	if o.copied {
		d, err := draftNow(ctx, *o.like)
		if err != nil {
			return err
		}
		tracked, err := s.tracked(ctx, sub)
		if err != nil {
			return err
		}
		return s.copyInto(ctx, sub, tracked, d, o)
	}
	tracked, err := s.tracked(ctx, sub)
	if err != nil {
		return err
	}
	if err := s.describe(sub, tracked, o.prefix); err != nil {
		return err
	}
	return s.takeAll(ctx, sub, linksOf(tracked), o)
}
