package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/trace"
)

// namedTraces is where the recordings that -o put elsewhere are noted: a link to each, by
// its id.
const namedTraces = "named"

// noteNamed notes a recording that is elsewhere. It is the user's: nobody removes it.
func (s traceStore) noteNamed(t openTrace) error {
	if !t.kept {
		return nil
	}
	dir, err := filepath.Abs(t.dir)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.dir, namedTraces), 0o777)
	}
	if err == nil {
		err = os.Symlink(dir, filepath.Join(s.dir, namedTraces, t.id))
	}
	if err != nil {
		return fmt.Errorf("note the recording for gpuci trace list: %w", err)
	}
	return nil
}

// named are those that are still there; of two that were made in one place the newer one is.
func (s traceStore) named() (list []storedTrace) {
	for _, link := range s.links() {
		dir, err := os.Readlink(link)
		if err != nil || slices.ContainsFunc(list, func(o storedTrace) bool { return o.Dir == dir }) {
			continue
		}
		if meta, err := trace.ReadMeta(dir); err == nil && meta != nil {
			list = append(list, storedTrace{ID: filepath.Base(link), Dir: dir, Meta: meta, Named: true})
		}
	}
	return list
}

// links are those to named ones, the newest first.
func (s traceStore) links() (list []string) {
	entries, _ := os.ReadDir(filepath.Join(s.dir, namedTraces)) // there need not be any
	for _, e := range slices.Backward(entries) {
		list = append(list, filepath.Join(s.dir, namedTraces, e.Name()))
	}
	return list
}

// pruneNamed forgets those that are gone, and the oldest of very many.
func (s traceStore) pruneNamed() error {
	there := s.named()
	for _, link := range s.links() {
		i := slices.IndexFunc(there, func(t storedTrace) bool { return t.ID == filepath.Base(link) })
		if i >= 0 && i < keptTraces {
			continue
		}
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget an old recording: %w", err)
		}
	}
	return nil
}

// shown is the word by which a recording is found: its id, or the directory that the user
// has named, from here where it is below.
func (s traceStore) shown(t storedTrace) string {
	if !t.Named {
		return t.ID
	}
	if near, err := filepath.Rel(s.place.dir, t.Dir); err == nil && !strings.HasPrefix(near, "..") {
		return near
	}
	return t.Dir
}
