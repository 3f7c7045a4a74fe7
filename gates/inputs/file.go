package inputs

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// File is a file that git does not know, as it was.
type File struct {
	Kind   Kept      `json:"kind,omitempty"`
	Bytes  int64     `json:"bytes,omitempty"`
	MTime  time.Time `json:"mtime,omitzero"`
	CTime  time.Time `json:"ctime,omitzero"` // of the inode's last change, which nobody can set
	SHA256 string    `json:"sha256,omitempty"`
}

// Kept says what is kept of a path.
type Kept string

// The content of a plain file (""); that nothing was there; that it changed after
// the gate had begun, so that nobody knows which content was judged; and the names
// of what lies in a directory, of all files or of cargo's targets.
const (
	Absent    Kept = "absent"
	Meanwhile Kept = "changed while the gate ran"
	Names     Kept = "names"
	Targets   Kept = "targets"
)

// is says whether a file is as it was: the same size and times, or the same
// content, as after a generator that wrote it again.
func (f File) is(ctx context.Context, path string) (bool, error) {
	switch f.Kind {
	case Meanwhile:
		return false, nil
	case Absent:
		_, err := os.Lstat(path)
		return os.IsNotExist(err), nil
	case Names, Targets:
		_, err := os.Stat(path) // of one that is gone, its files say so
		return os.IsNotExist(err) || names(path, f.Kind) == f.SHA256, ctx.Err()
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != f.Bytes {
		return false, nil
	}
	if info.ModTime().Equal(f.MTime) && changed(info).Equal(f.CTime) {
		return true, nil
	}
	p, err := Examine(ctx, path)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && p.SHA256 == f.SHA256, nil
}

// changed is when an inode changed last, in content, mode, owner or names.
func changed(info os.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}

// files are some files as they are, nil for none. One that was changed after begun
// is kept as such, unless read says that a build read it after that. The error is
// the context's.
func files(ctx context.Context, root string, paths []string, begun time.Time, read func(path string, at time.Time) bool) (m byPath[File], err error) {
	m = make(byPath[File])
	for _, path := range paths {
		full := filepath.Join(root, path)
		p, err := Examine(ctx, full)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		info, statErr := os.Stat(full) // after it was read: what came between shows
		if err != nil || statErr != nil {
			continue // gone again, as temporary sources are: there is nothing to hold against
		}
		f := File{Bytes: p.Bytes, MTime: p.Built, CTime: changed(info), SHA256: p.SHA256}
		if at := later(f.CTime, info.ModTime()); !begun.IsZero() && at.After(begun.Add(-coarse(at, begun))) && !read(full, at) {
			f = File{Kind: Meanwhile, MTime: p.Built, CTime: f.CTime}
		}
		m[Path(path)] = f
	}
	if len(m) == 0 {
		return nil, nil
	}
	return m, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// rebuilt says whether the builds that named a file since a time all came to an
// end after it had been changed: a generator of the gate's own wrote it, and then
// a compiler read it. What no build has named since was changed by somebody else.
func (in Inputs) rebuilt(begun time.Time) func(path string, at time.Time) bool {
	return func(path string, at time.Time) bool {
		any := false
		for _, when := range in.dated[path] {
			if when.Before(begun) {
				continue
			}
			if any = true; when.Before(at) {
				return false
			}
		}
		return any
	}
}

// never says that no build can have made a file.
func never(string, time.Time) bool { return false }
