package ab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpuci/worktrees"
)

// ignored is what git does not see of a scratch lane: build products, caches, logs. A run
// finds it as the check has left it. Of several arms the base is run once for each, and an
// ignored file that grows with every run had three arms win by 6 % that were the base.
//
// What comes is removed, and what changes is put back from a copy: of what the check's own
// run has written, as a run writes the same files again and again, and of what is small.
// Where a run changes another file, nothing is put back in that lane from then on, for half
// of it might be no state that a build tool knows.
type ignored struct {
	scratch *worktrees.Scratch
	tops    []string            // the lane, and where its build products go where that is elsewhere
	was     map[string]stamp    // by path, with what git sees
	copies  map[string]keptFile // by path
	lost    string              // why nothing is put back any more
}

// stamp tells whether a file is another one than it was, without reading it. Of a directory
// it is that it is one.
type stamp struct {
	mode fs.FileMode
	size int64
	mod  time.Time
	ino  uint64
}

// maxIgnored bounds the files that are looked at after each run: some 0.5 s.
const maxIgnored = 200_000

// keepIgnored remembers it; since is when the check's run began.
func keepIgnored(ctx context.Context, s *worktrees.Scratch, since time.Time) (*ignored, error) {
	g := &ignored{scratch: s, tops: []string{s.Root}}
	if rel, err := filepath.Rel(s.Root, s.Target); s.Target != "" && (err != nil || !filepath.IsLocal(rel)) {
		g.tops = append(g.tops, s.Target)
	}
	var err error
	if g.was, err = g.list(); err != nil {
		g.lost = err.Error()
		return g, nil
	}
	unseen, err := g.unseen(ctx, slices.Collect(maps.Keys(g.was)), g.was)
	if err != nil {
		return nil, err
	}
	files := maps.Clone(g.was)
	maps.DeleteFunc(files, func(path string, _ stamp) bool { return !unseen[path] })
	g.copies = keepFiles(filepath.Join(filepath.Dir(s.Root), "ignored-as-it-was"), files, since)
	return g, nil
}

// list has all files with their stamps.
func (g *ignored) list() (map[string]stamp, error) {
	out := make(map[string]stamp)
	for _, top := range g.tops {
		err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err == nil && path != top && e.Name() == ".git" {
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if err == nil && path != top {
				var info fs.FileInfo
				if info, err = e.Info(); err == nil {
					out[path] = stampOf(info)
				}
			}
			switch {
			case errors.Is(err, fs.ErrNotExist): // it went as we looked, or nothing is built there
				return nil
			case len(out) > maxIgnored:
				return fmt.Errorf("they are among more than %d files", maxIgnored)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func stampOf(info fs.FileInfo) stamp {
	if info.IsDir() {
		return stamp{mode: fs.ModeDir}
	}
	x := stamp{mode: info.Mode(), size: info.Size(), mod: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		x.ino = st.Ino
	}
	return x
}

// back puts it back, after what git sees has been. Where that cannot be, lost says why, and
// is not empty again.
func (g *ignored) back(ctx context.Context) (lost string, err error) {
	if g.lost != "" {
		return g.lost, nil
	}
	now, err := g.list()
	if err != nil {
		g.lost = err.Error()
		return g.lost, nil
	}
	came, other, err := g.since(ctx, now)
	if err != nil {
		return "", err
	}
	if at := slices.IndexFunc(other, func(p string) bool { return !g.has(p) }); at >= 0 {
		rel, _ := filepath.Rel(g.scratch.Root, other[at])
		g.lost = fmt.Sprintf("of %s there is no copy: it is too large, and the check's run did not write it", rel)
		return g.lost, nil
	}
	return "", g.restore(came, other)
}

// has says whether a file can be put back. A directory is made.
func (g *ignored) has(path string) bool {
	_, ok := g.copies[path]
	return ok || g.was[path].mode.IsDir()
}

// since are the ignored files that came, and those that are others or gone. What git sees
// is as it was, and has new stamps where it was put back.
func (g *ignored) since(ctx context.Context, now map[string]stamp) (came, other []string, err error) {
	for path, is := range now {
		if was, ok := g.was[path]; !ok {
			came = append(came, path)
		} else if was != is {
			other = append(other, path)
		}
	}
	for path := range g.was {
		if _, ok := now[path]; !ok {
			other = append(other, path)
		}
	}
	unseen, err := g.unseen(ctx, slices.Concat(came, other), now)
	if err != nil {
		return nil, nil, err
	}
	seen := func(path string) bool { // of a directory git sees the files alone
		_, known := g.was[path]
		return !unseen[path] && (known || !now[path].mode.IsDir())
	}
	known := slices.Concat(came, other)
	came, other = slices.DeleteFunc(came, seen), slices.DeleteFunc(other, seen)
	for _, path := range known {
		is, there := now[path]
		switch {
		case slices.Contains(came, path) || slices.Contains(other, path):
		case there:
			g.was[path] = is
		default:
			delete(g.was, path)
		}
	}
	slices.Sort(came)
	slices.Sort(other)
	return came, other, nil
}

// unseen are those of some paths that git does not see. What was in a directory where there
// is a link now, beyond which git does not look, is what the link is.
func (g *ignored) unseen(ctx context.Context, paths []string, now map[string]stamp) (map[string]bool, error) {
	out := make(map[string]bool)
	asked := make(map[string][]string) // by what git is asked about
	for _, path := range paths {
		rel, err := filepath.Rel(g.scratch.Root, path)
		if err != nil || !filepath.IsLocal(rel) {
			out[path] = true
			continue
		}
		for up := filepath.Dir(rel); up != "."; up = filepath.Dir(up) {
			if is, there := now[filepath.Join(g.scratch.Root, up)]; there && !is.mode.IsDir() {
				rel = up
			}
		}
		asked[filepath.ToSlash(rel)] = append(asked[filepath.ToSlash(rel)], path)
	}
	if len(asked) == 0 {
		return out, nil
	}
	list, err := worktrees.Ignored(ctx, g.scratch.Lane, slices.Sorted(maps.Keys(asked)))
	for _, rel := range list {
		for _, path := range asked[rel] {
			out[path] = true
		}
	}
	return out, err
}

// restore removes what came and puts back what is otherwise.
func (g *ignored) restore(came, other []string) error {
	for _, top := range g.tops {
		in := func(path string) bool { return strings.HasPrefix(path, top+string(filepath.Separator)) }
		mine := func(list []string) []string {
			return slices.DeleteFunc(slices.Clone(list), func(path string) bool { return !in(path) })
		}
		if err := g.restoreIn(top, mine(came), mine(other)); err != nil {
			return fmt.Errorf("put back what git ignores in %s: %w", top, err)
		}
	}
	return nil
}
