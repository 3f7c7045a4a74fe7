package gates

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/pressure"
	"gpuci/reaper/proc"

	"golang.org/x/sys/unix"
)

// BuildRecord is what is written down of a build that is no gate's: a directory
// builds/<id>/ with links.jsonl, pressure.jsonl and, at the end, build.json.
type BuildRecord struct {
	ID  string
	Dir string // "" where nothing can be written down

	timeline *timeline
}

// Build is what came of a build, as build.json has it.
type Build struct {
	Type         string            `json:"type"` // always "build"
	ID           string            `json:"build"`
	Command      string            `json:"command"`
	Lane         string            `json:"lane,omitempty"`
	Exit         int               `json:"exit"`
	Started      time.Time         `json:"started"`
	Seconds      float64           `json:"seconds"`
	Links        string            `json:"links"`                    // in words
	Held         float64           `json:"held-seconds,omitempty"`   // by the pressure, of all links
	Under        string            `json:"under-pressure,omitempty"` // links ran though it was not over
	Stall        *pressure.Summary `json:"stall,omitempty"`
	StallUnknown string            `json:"stall-unknown,omitempty"`
}

// keepBuilds is how many finished builds are kept: people build all day.
const keepBuilds = 50

// buildFile ends the record of a build.
const buildFile = "build.json"

// RecordBuild begins to write a build down under state. Where that fails, the
// error says why, and the pressure is watched all the same.
func RecordBuild(state, id, root string) (*BuildRecord, error) {
	b := &BuildRecord{ID: id, Dir: filepath.Join(state, "builds", id)}
	tidyBuilds(filepath.Dir(b.Dir))
	err := os.MkdirAll(b.Dir, 0o755)
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(filepath.Join(b.Dir, pressureFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	}
	if err == nil {
		err = makeLinkLog(b.LinkLog())
	}
	if err != nil {
		_ = file.Close()
		b.Dir, file, err = "", nil, fmt.Errorf("write the build down: %w", err)
	}
	b.timeline = startTimeline(root, file)
	return b, err
}

// makeLinkLog makes the file that shims of every user of the build can write to.
func makeLinkLog(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(buildlock.ShareLinkLog(f), f.Close())
}

// LinkLog is the file that the shims write to.
func (b *BuildRecord) LinkLog() string { return filepath.Join(b.Dir, linksFile) }

// Follow says which command is the build, and whose links are watched.
func (b *BuildRecord) Follow(p *proc.Process, w *links.Watch) {
	b.timeline.follow(p)
	b.timeline.queue(w)
}

// End writes down what came of it, and gives it with the pressure in it.
func (b *BuildRecord) End(r Build) (Build, error) {
	b.timeline.endChild()
	sum, unknown, fault := b.timeline.end()
	r.Type, r.ID, r.Stall = "build", b.ID, &sum
	if unknown != nil {
		r.StallUnknown = unknown.Error()
	}
	if b.Dir == "" {
		return r, nil
	}
	rec := record{dir: b.Dir, err: fault}
	rec.json(buildFile, r)
	return r, rec.err
}

// Discard takes the record of a build away that never began.
func (b *BuildRecord) Discard() {
	_, _, _ = b.timeline.end()
	if b.Dir != "" {
		_ = os.RemoveAll(b.Dir)
	}
}

// tidyBuilds takes away the oldest records. One without an end may be of a
// build that goes on; after a week it is of one that was killed.
//
// Only what we made is touched: directories with names of ours, and in them the
// files of ours. Whatever else lies there stays, and so does what it lies in.
func tidyBuilds(dir string) {
	const week = 7 * 24 * time.Hour
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return // not there, or a link to somewhere else
	}
	list, err := os.ReadDir(dir) // by name, which is by time
	list = slices.DeleteFunc(list, func(e os.DirEntry) bool { return !e.IsDir() || !runForm.MatchString(e.Name()) })
	if err != nil || len(list) <= keepBuilds {
		return
	}
	for _, e := range list[:len(list)-keepBuilds] {
		path := filepath.Join(dir, e.Name())
		_, err := os.Lstat(filepath.Join(path, buildFile))
		if info, ierr := e.Info(); errors.Is(err, os.ErrNotExist) && (ierr != nil || time.Since(info.ModTime()) < week) {
			continue
		}
		for _, name := range []string{buildFile, buildFile + ".part", pressureFile, linksFile} {
			_ = os.Remove(filepath.Join(path, name))
		}
		_ = os.Remove(path)
	}
}

// linksFile is what the shims of a build write to.
const linksFile = "links.jsonl"

// maxBuildFile bounds what is read of a build.json; a real one has a kilobyte.
const maxBuildFile = 1 << 20

// ReadBuild reads a build.json.
func ReadBuild(dir string) (Build, error) {
	var b Build
	f, err := os.OpenFile(filepath.Join(dir, buildFile), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return b, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return b, fmt.Errorf("read build: %s is no regular file", f.Name())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBuildFile))
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	return b, err
}
