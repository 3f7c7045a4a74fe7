package build

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuci/kernels/cache"
)

// tree is the files of one build as they were when it looked at each for the first
// time, or anew after a compile.
type tree struct {
	root   string
	chain  chain
	trusty []string // directories of the toolkit and the system, each ending in a slash

	mu      sync.Mutex
	known   map[string]*file // from an earlier build: true as long as the stamp is
	seen    map[string]*file
	vectors map[string]vector
	dirs    map[string]*listing
	stats   map[string]existence
	dirty   bool // seen has what known lacks
}

func newTree(root string) *tree {
	return &tree{root: root, known: map[string]*file{}, seen: map[string]*file{}, vectors: map[string]vector{},
		dirs: map[string]*listing{}, stats: map[string]existence{}}
}

// absolute is the place of a path that is below the root, or absolute.
func (t *tree) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return t.root + "/" + path
}

// trusts is whether a header is the toolkit's or the system's: their asm is made by macros
// throughout, and has the assembler read nothing.
func (t *tree) trusts(name string) bool {
	name = filepath.Clean(t.absolute(name))
	return slices.ContainsFunc(t.trusty, func(dir string) bool { return strings.HasPrefix(name, dir) })
}

// file gives the reading of a file, old or new.
func (t *tree) file(path string, scans bool) (*file, error) {
	t.mu.Lock()
	f := t.seen[path]
	known := t.known[path]
	t.mu.Unlock()
	if f != nil && (f.Scanned != nil || !scans) {
		return f, nil
	}
	return t.look(path, known, scans)
}

// reads is whether a file is one that was read as a source, in this build or before.
func (t *tree) reads(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, known := t.seen[path], t.known[path]
	return f != nil && f.Scanned != nil || known != nil && known.Scanned != nil
}

// again looks whether the file is still as it was seen, and reads it if not. What
// cannot be told by the stamp is read, and the earlier reading stands if the
// content is the same and so is the stamp.
func (t *tree) again(path string) (*file, error) {
	t.mu.Lock()
	f := t.seen[path]
	known := t.known[path]
	t.mu.Unlock()
	if f == nil || f.Scanned == nil {
		return t.look(path, known, true)
	}
	return t.look(path, f, true)
}

// look stats the file, and reads it unless this earlier reading is of the same.
func (t *tree) look(path string, earlier *file, scans bool) (*file, error) {
	now := time.Now()
	info, err := os.Stat(t.absolute(path))
	if err != nil {
		return nil, err
	}
	var f file
	same := earlier != nil && earlier.Settled && earlier.Stamp == stampOf(info) && (earlier.Scanned != nil || !scans)
	if same {
		f = *earlier
	} else {
		read, err := readFile(t.absolute(path), scans)
		if err != nil {
			return nil, err
		}
		f = *read
	}
	f.at = now
	t.mu.Lock()
	defer t.mu.Unlock()
	if was := t.seen[path]; was != nil && was.Stamp == f.Stamp && was.Sum == f.Sum {
		f.at = was.at
	}
	t.dirty = t.dirty || !same && f.Settled
	t.seen[path] = &f
	return &f, nil
}

// forget drops what was seen of a file that this build writes.
func (t *tree) forget(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.seen, path)
}

// load takes over the readings of an earlier build.
func (t *tree) load(data []byte) error {
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&t.known); err != nil {
		t.known = map[string]*file{}
		return fmt.Errorf("read the index of files: %w", err)
	}
	return nil
}

// save gives the readings for later builds: those that stay true. It is nil where
// they are the ones that were loaded.
func (t *tree) save() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dirty {
		return nil, nil
	}
	keep := map[string]*file{}
	for path, f := range t.seen {
		if f.Settled {
			keep[path] = f
		}
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(keep)
	return b.Bytes(), err
}

// sum is that of a file that is no source.
func (t *tree) sum(path string) (cache.Sum, error) {
	f, err := t.file(path, false)
	if err != nil {
		return "", err
	}
	return f.Sum, nil
}
