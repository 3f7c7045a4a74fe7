package notes

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gpuci/worktrees"
)

// maxChanged bounds how many changed files are read: beyond, somebody has put a
// data set into the lane and not told git to ignore it.
const maxChanged = 2000

// Place is where notes are looked for: the tracked files of a lane, and those that
// git would track.
type Place struct {
	Lane  worktrees.Lane
	Dir   string          // of gpuci.toml, from the lane's root; "" or "." for the root
	Draft worktrees.Draft // what is in the lane
	Cache string          // directory for what commits hold; "" for none
}

// Found is what was found.
type Found struct {
	Notes []Note `json:"notes,omitempty"`
	Bad   []Bad  `json:"bad,omitempty"`
	Cut   string `json:"cut,omitempty"` // what was not looked at, and why
}

// Find finds the notes in the sources of a lane. What a commit holds is looked for
// once and kept in the cache; only the files that are otherwise are read each time.
func Find(ctx context.Context, p Place) (f Found, err error) {
	if p.Lane.Root == "" {
		return f, nil
	}
	if f, err = p.committed(ctx); err != nil {
		return f, fmt.Errorf("look for notes: %w", err)
	}
	changed := make(map[string]bool)
	for _, l := range p.Draft.Leaves {
		changed[l.Path] = true
	}
	f.Notes = slices.DeleteFunc(f.Notes, func(n Note) bool { return changed[n.Path] })
	f.Bad = slices.DeleteFunc(f.Bad, func(b Bad) bool { return changed[b.Path] })
	read := 0
	for _, l := range p.Draft.Leaves {
		if l.Gone() || !strings.HasPrefix(l.Mode, "100") || !p.inside(l.Path) || !Holds(l.Path) {
			continue
		}
		if ctx.Err() != nil {
			return f, fmt.Errorf("look for notes: %w", ctx.Err())
		}
		if read++; read > maxChanged {
			f.Cut = fmt.Sprintf("more than %d files are changed: notes in the others are not known", maxChanged)
			break
		}
		if data, err := readFile(filepath.Join(p.Lane.Root, l.Path)); err == nil {
			list, bad := In(l.Path, data)
			f.Notes, f.Bad = append(f.Notes, list...), append(f.Bad, bad...)
		}
	}
	return f, nil
}

// inside says whether a path is below the directory of gpuci.toml.
func (p Place) inside(name string) bool { return below(name, p.Dir) }

// below says whether a path is another one, or in it.
func below(name, dir string) bool {
	dir = filepath.ToSlash(filepath.Clean(dir))
	return dir == "." || dir == "" || name == dir || strings.HasPrefix(name, dir+"/")
}

// committed is what the lane's commit holds.
func (p Place) committed(ctx context.Context) (f Found, err error) {
	if p.Draft.Commit == "" {
		return f, nil
	}
	if f, ok := p.cached(); ok {
		return f, nil
	}
	paths, more, err := worktrees.HoldingAny(ctx, p.Lane, p.Draft.Commit, p.Dir, spellings()...)
	if err != nil {
		return f, err
	}
	paths = slices.DeleteFunc(paths, func(name string) bool { return !Holds(name) })
	texts, cut, err := worktrees.Texts(ctx, p.Lane, p.Draft.Commit, paths)
	if err != nil {
		return f, err
	}
	for _, name := range paths {
		list, bad := In(name, texts[name])
		f.Notes, f.Bad = append(f.Notes, list...), append(f.Bad, bad...)
	}
	switch {
	case more:
		f.Cut = "very many files have notes: not all are looked at"
	case len(cut) > 0:
		f.Cut = fmt.Sprintf("%s is too long to be looked at for notes", cut[0])
	}
	p.keep(f)
	return f, nil
}

// readFile reads a file of the lane, at most as much as one of a commit. What is
// there instead of a file meanwhile is none.
func readFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > worktrees.MaxText {
		return nil, os.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, worktrees.MaxText))
}
