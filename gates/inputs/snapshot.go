package inputs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpuci/worktrees"
)

// FileName is what a run's directory keeps its Snapshot in, as JSON.
const FileName = "inputs.json"

// schema is the form of Snapshot's JSON. A change of meaning raises it.
const schema = 1

// maxSnapshot bounds what Load reads: maxFiles paths and as many changes, at the
// length of the longest paths of real trees.
const maxSnapshot = 32 << 20

// gone stands for what is at a path where nothing is.
const gone = "gone"

// Snapshot is what a lane held when an outcome was made, and what of it the gate
// can have read. It does not hold content: what was committed is in the
// repository, and of the rest the ids are enough.
type Snapshot struct {
	Schema int       `json:"schema"`
	Taken  time.Time `json:"taken"`
	Commit string    `json:"commit,omitempty"` // HEAD; "" on an unborn branch
	Tree   string    `json:"tree,omitempty"`   // of everything in the lane; "" where git could not commit it
	// Changed is what was otherwise than in Commit: mode and id, or "gone".
	Changed byPath[string] `json:"changed,omitempty"`
	// Raw is what files were on disk that git has otherwise: mode, and the id that
	// their bytes would have.
	Raw byPath[string] `json:"raw,omitempty"`
	Cut bool           `json:"cut,omitempty"` // more was changed than is kept: then Changed is empty

	Known bool     `json:"known"`          // dependency files told what the build read
	Why   string   `json:"why,omitempty"`  // what was missing when not
	Told  []string `json:"told,omitempty"` // languages that they tell of
	Read  []Path   `json:"read,omitempty"` // inputs in the lane
	// Ignored are those inputs that git does not know: generated, most often.
	Ignored byPath[File] `json:"ignored,omitempty"`
	// Outside are those that are not in the lane, by absolute paths.
	Outside byPath[File] `json:"outside,omitempty"`
}

// Before is the lane as it was before the build.
type Before struct {
	Draft worktrees.Draft
	Raw   []worktrees.Raw // of worktrees.ReadRaw
	// At is when the gate began: what git does not know is read only afterwards, and
	// what was changed since is not known to be what was judged. Zero for never.
	At time.Time
}

// Take puts together what is to be kept of an outcome: of the lane before the
// build, in what the build of its products read.
func Take(ctx context.Context, lane worktrees.Lane, b Before, in Inputs) (Snapshot, error) {
	d, begun := b.Draft, b.At
	s := Snapshot{
		Schema: schema, Taken: time.Now().UTC(), Commit: d.Commit, Tree: d.Tree,
		Known: in.Known, Why: in.Why, Told: in.Told, Cut: len(d.Leaves)+len(b.Raw) > maxFiles,
	}
	if !s.Cut {
		s.Changed, s.Raw = leaves(d), raws(b.Raw)
	}
	for _, path := range in.Files {
		s.Read = append(s.Read, Path(path))
	}
	var ignored []string
	var err error
	if len(in.Files) > 0 {
		ignored, err = worktrees.Ignored(ctx, lane, in.Files)
	}
	if err == nil {
		s.Ignored, err = files(ctx, lane.Root, ignored, begun, in.rebuilt(begun))
	}
	if err == nil {
		s.Outside, err = files(ctx, "", in.Outside, begun, never)
	}
	if err == nil {
		s.Outside = in.beyond.places(s.Outside)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("take snapshot: %w", err)
	}
	return s, nil
}

// Meanwhile are the inputs that somebody changed while the gate ran, where git does
// not know them.
func (s Snapshot) Meanwhile() (paths []string) {
	for _, files := range []byPath[File]{s.Ignored, s.Outside} {
		for p, f := range files {
			if f.Kind == Meanwhile {
				paths = append(paths, string(p))
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// leaves is a draft's changes as a snapshot has them.
func leaves(d worktrees.Draft) byPath[string] {
	m := make(byPath[string], len(d.Leaves))
	for _, l := range d.Leaves {
		m[Path(l.Path)] = content(l)
	}
	return m
}

// raws is what is on disk otherwise than in git, as a snapshot has it.
func raws(list []worktrees.Raw) byPath[string] {
	if len(list) == 0 {
		return nil
	}
	m := make(byPath[string], len(list))
	for _, r := range list {
		m[Path(r.Path)] = content(r.Leaf)
	}
	return m
}

// content says what is at a path, in a form that is equal where that is.
func content(l worktrees.Leaf) string {
	if l.Gone() {
		return gone
	}
	return l.Mode + " " + l.ID
}

// Load reads the snapshot in a run's directory. The error wraps fs.ErrNotExist
// where none was kept.
func Load(dir string) (Snapshot, error) {
	// O_NONBLOCK: a pipe of that name must not hold us.
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", err)
	}
	defer f.Close()
	var s Snapshot
	var data []byte
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNoFile
	}
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxSnapshot+1))
	}
	switch {
	case err != nil:
	case len(data) > maxSnapshot:
		err = errors.New("it is larger than gpuci writes one")
	default:
		s, err = parseSnapshot(data)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot %s: %w", f.Name(), err)
	}
	return s, nil
}

// parseSnapshot reads a snapshot's JSON.
func parseSnapshot(data []byte) (Snapshot, error) {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return Snapshot{}, err
	}
	if s.Schema != schema {
		return Snapshot{}, fmt.Errorf("it is of form %d, and this gpuci reads %d: run the gate again", s.Schema, schema)
	}
	for _, id := range []string{s.Commit, s.Tree} {
		// They go to git as arguments.
		if strings.Trim(id, "0123456789abcdef") != "" {
			return Snapshot{}, fmt.Errorf("%.50q is no id of git's", id)
		}
	}
	return s, nil
}
