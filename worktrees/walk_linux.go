package worktrees

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sort"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// survey is what a look at the tree could not clear.
type survey struct {
	suspects  []string // paths of the index, or directories full of them, that may differ from it
	untracked []string // topmost names on disk that are not in the index, ignored or not
	unwatched bool     // some directory has no mark
}

// walk is one look at a tree, held against an index.
type walk struct {
	index *index
	watch *Watch // nil for none
	todo  *todo

	mu    sync.Mutex
	found survey
}

// span is one directory and the entries at or below it, [lo, hi).
type span struct {
	dir    string // "" for the root
	lo, hi int
}

// prefix is what the paths of a span begin with.
func (s span) prefix() int {
	if s.dir == "" {
		return 0
	}
	return len(s.dir) + 1
}

// path is the path from the root of a name in the span's directory.
func (s span) path(name []byte) string {
	if s.dir == "" {
		return string(name)
	}
	return s.dir + "/" + string(name)
}

// surveyTree looks at every directory the index knows. It does not enter
// untracked ones, so an ignored build tree costs one name.
func surveyTree(ctx context.Context, root string, x *index, watch *Watch) (survey, error) {
	w := &walk{index: x, watch: watch, todo: newTodo(span{hi: len(x.entries)})}
	group, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error { return w.work(ctx, root) })
	}
	err := group.Wait()
	return w.found, err
}

// work visits directories until none is left.
//
// Nearly all its time goes to lstat(2). A quarter of that is the counting of
// references to a descriptor table that several threads share; a thread with a
// table of its own (unshare(2), CLONE_FILES) saves it, but Go's scheduler polls
// its epoll descriptor from any thread and ends the program where it is missing.
func (w *walk) work(ctx context.Context, root string) error {
	fd, err := openDir(unix.AT_FDCWD, root)
	if err != nil {
		w.todo.stop()
		return fmt.Errorf("open %s: %w", root, err)
	}
	defer unix.Close(fd)
	names := new(listing)
	for s, ok := w.todo.take(); ok; s, ok = w.todo.take() {
		if err := ctx.Err(); err != nil {
			w.todo.stop()
			return err
		}
		below, err := w.look(ctx, fd, s, names)
		if err != nil { // it went away since its parent was read: all it held is suspect
			w.suspect(s.dir)
		}
		w.todo.done(below)
	}
	return nil
}

// look compares one directory with its entries and returns the spans below.
func (w *walk) look(ctx context.Context, root int, s span, names *listing) ([]span, error) {
	fd, err := s.open(root)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if w.watch != nil && !w.watch.add(fd) {
		w.mu.Lock()
		w.found.unwatched = true
		w.mu.Unlock()
	}
	if err := names.read(fd); err != nil {
		return nil, err
	}
	var below []span
	skip := s.prefix()
	for i := s.lo; i < s.hi; {
		e := w.index.entries[i]
		name, _, nested := bytes.Cut(e.path[skip:], []byte("/"))
		on := names.find(name)
		if !nested {
			i++
			if w.differs(ctx, fd, e, name, on) {
				w.suspect(string(e.path))
			}
			continue
		}
		sub := span{dir: string(e.path[:skip+len(name)]), lo: i, hi: w.endOf(e.path[:skip+len(name)+1], i, s.hi)}
		i = sub.hi
		switch {
		case on != nil && on.kind != unix.DT_LNK && on.kind != unix.DT_REG:
			on.known = true
			below = append(below, sub)
		case !w.allSkipped(sub):
			w.suspect(sub.dir)
		}
	}
	w.collectUntracked(fd, s, names)
	return below, nil
}

// open opens a span's directory below the lane's root.
func (s span) open(root int) (int, error) {
	if s.dir == "" {
		return openDir(root, ".")
	}
	return openDir(root, s.dir)
}

// endOf returns where the entries that begin with prefix end.
func (w *walk) endOf(prefix []byte, lo, hi int) int {
	return lo + sort.Search(hi-lo, func(i int) bool {
		return !bytes.HasPrefix(w.index.entries[lo+i].path, prefix)
	})
}

// allSkipped reports whether a sparse checkout left a whole directory out.
func (w *walk) allSkipped(s span) bool {
	for _, e := range w.index.entries[s.lo:s.hi] {
		if !e.skip() {
			return false
		}
	}
	return true
}

// collectUntracked notes the names no entry asked for. Git sees files, links
// and directories, nothing else, and no .git at any depth.
func (w *walk) collectUntracked(fd int, s span, names *listing) {
	for i := range names.all {
		on := &names.all[i]
		if on.known || string(on.name) == ".git" {
			continue
		}
		if on.kind == unix.DT_UNKNOWN {
			on.kind = kindOf(fd, on.name)
		}
		switch on.kind {
		case unix.DT_REG, unix.DT_LNK, unix.DT_DIR:
			w.mu.Lock()
			w.found.untracked = append(w.found.untracked, s.path(on.name))
			w.mu.Unlock()
		}
	}
}

func (w *walk) suspect(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found.suspects = append(w.found.suspects, path)
}
