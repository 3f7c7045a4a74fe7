package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// NotOurs says that a file is there which is no timeline of ours, and is not written over.
type NotOurs struct{ Path string }

func (e *NotOurs) Error() string {
	return fmt.Sprintf("write the timeline: %s is there already, and is no timeline of gpuci", e.Path)
}

// WriteFile writes it: whole or not at all, packed where the name ends in .gz. A timeline
// of ours that is there already is written over, and of anything else the error is a
// *[NotOurs]. Into what is no file, as a pipe, it is written as it comes.
func (t *Timeline) WriteFile(ctx context.Context, path string) error {
	packed := strings.HasSuffix(path, ".gz")
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = fmt.Errorf("%s is a directory: name a file", path)
	case err == nil && !info.Mode().IsRegular():
		err = t.into(ctx, path, packed)
	case err == nil:
		err = t.again(ctx, path, packed)
	case errors.Is(err, fs.ErrNotExist):
		err = t.whole(ctx, path, packed)
	}
	var other *NotOurs
	if err == nil || errors.As(err, &other) {
		return err
	}
	return fmt.Errorf("write the timeline: %w", err)
}

// TimelineName is that of a timeline that lies in its recording.
const TimelineName = "timeline.json.gz"

// WriteIn writes it into its recording, which may be somebody else's: of a link or a pipe
// that is there in its place the error is a *[NotOurs].
func (t *Timeline) WriteIn(ctx context.Context, dir string) error {
	path := filepath.Join(dir, TimelineName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &NotOurs{path}
	}
	return t.WriteFile(ctx, path)
}

// into writes it into a pipe or a device.
func (t *Timeline) into(ctx context.Context, path string, packed bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(t.write(until{ctx, f}, packed), f.Close())
}

// again writes it in the place of one that is there; a link stays one.
func (t *Timeline) again(ctx context.Context, path string, packed bool) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	ours, err := isTimeline(real)
	if err != nil {
		return err
	}
	if !ours {
		return &NotOurs{path}
	}
	return t.whole(ctx, real, packed)
}

// whole writes it beside its place, and moves it there.
func (t *Timeline) whole(ctx context.Context, path string, packed bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".timeline-*")
	if err != nil {
		return err
	}
	err = errors.Join(t.write(until{ctx, f}, packed), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func (t *Timeline) write(w io.Writer, packed bool) error {
	if !packed {
		return t.trace.write(w)
	}
	z := gzip.NewWriter(w)
	return errors.Join(t.trace.write(z), z.Close())
}

// until writes for as long as nobody has it stop.
type until struct {
	ctx context.Context
	to  io.Writer
}

func (u until) Write(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.to.Write(b)
}

// isTimeline says whether a file is one of ours, by how it begins; an empty one is
// nobody's, as mktemp makes it.
func isTimeline(path string) (bool, error) {
	f, err := openRegular(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	begins := make([]byte, len(timelineBegins))
	n, err := full(f, begins)
	if n == 0 || err != nil {
		return err == nil, err
	}
	if bytes.HasPrefix(begins, []byte{0x1f, 0x8b}) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return false, err
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			return false, nil // it is packed, and nothing of ours
		}
		if n, err = full(z, begins); err != nil {
			return false, nil
		}
	}
	return string(begins[:n]) == timelineBegins, nil
}
