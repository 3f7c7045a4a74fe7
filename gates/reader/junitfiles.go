package reader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates/junit"
)

// junitFiles counts in the JUnit XML files that a run leaves behind. What it
// prints is the test's own.
//
// A file counts if the run wrote it. One that was there before, and is the same
// file of the same size and time, or that has an older time than the run and so
// was only moved there, is a contradiction: it is another run's. So are no file
// at all, one that is no JUnit or is cut off, and sums that its cases do not
// make. A case that failed or had an error is failed; one that passed after a
// failure (flakyFailure) is remarked on.
//
// Not detected: a run that writes a report without running anything, and a
// report that is there twice by two names (but for symbolic links).
type junitFiles struct {
	none
	dir    string
	glob   string
	parts  []string
	began  time.Time
	before map[string]os.FileInfo
	fault  error // of the look before
}

// clockSlack is how far the time of a file may be behind ours: FAT keeps times
// by two seconds, and the clock of a file server can be off as much.
const clockSlack = 2 * time.Second

func newJunitFiles(dir, glob string, began time.Time) (*junitFiles, error) {
	parts, err := parseGlob(glob)
	if err != nil {
		return nil, err
	}
	j := &junitFiles{dir: dir, glob: glob, parts: parts, began: began, before: map[string]os.FileInfo{}}
	files, err := globFiles(dir, parts)
	j.fault = err
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			j.before[file] = info
		}
	}
	return j, nil
}

func (j *junitFiles) Counts() Counts {
	var c Counts
	if j.fault != nil {
		c.contradict("before the run, %s could not be looked for: %v", j.glob, j.fault)
	}
	files, err := globFiles(j.dir, j.parts)
	switch {
	case err != nil:
		c.contradict("%s cannot be looked for: %v", j.glob, err)
	case len(files) == 0:
		c.contradict("no file is there by %s: let the run write one, and write the glob from the directory that its commands run in", j.glob)
	}
	again := nameList{}
	for _, file := range files {
		if j.isTwin(file, files) {
			continue
		}
		if err := j.file(&c, file, &again); err != nil {
			c.contradict("%s: %v", j.short(file), err)
		}
	}
	if again.n > 0 {
		c.remark("flaky: %s ran again after a failure, such as %s", count(again.n, "test"), again.names[0])
	}
	return c
}

// file counts one file, unless it is another run's.
func (j *junitFiles) file(c *Counts, path string, again *nameList) error {
	// Not to wait for who writes to a FIFO.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file: write a narrower glob")
	}
	if err := j.stale(path, info); err != nil {
		return err
	}
	report, err := junit.Read(f, func(found junit.Found) { countCase(c, found, again) })
	c.Suites += report.Suites
	for _, text := range report.Disagrees {
		c.contradict("%s: %s: it was written by more than one, or by a plugin that counts otherwise; read its cases", j.short(path), text)
	}
	if err != nil {
		return fmt.Errorf("%w; was whoever wrote it stopped?", err)
	}
	return nil
}

// stale says that the run did not write a file.
func (j *junitFiles) stale(path string, now os.FileInfo) error {
	old, there := j.before[path]
	same := there && os.SameFile(old, now) && old.Size() == now.Size() && old.ModTime().Equal(now.ModTime())
	if !same && !now.ModTime().Before(j.began.Add(-clockSlack)) {
		return nil
	}
	return fmt.Errorf("it is older than this run (%s): let the run write it anew, or remove it first", now.ModTime().Format(time.DateTime))
}

// isTwin says that a path is a symbolic link to another one of the list.
func (j *junitFiles) isTwin(path string, all []string) bool {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	here, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, other := range all {
		info, err := os.Lstat(other)
		if err == nil && os.SameFile(here, info) {
			return true
		}
	}
	return false
}

// short is a path as the glob has it.
func (j *junitFiles) short(path string) string {
	if j.dir == "" {
		return path
	}
	return path[min(len(j.dir)+1, len(path)):]
}

func countCase(c *Counts, f junit.Found, again *nameList) {
	name := f.Name
	if f.Class != "" && f.Class != f.Name {
		name = f.Class + "." + f.Name
	}
	if name == "" {
		name = "a case without a name"
	}
	switch f.Outcome {
	case junit.Failed, junit.Errored:
		c.fail(name[:min(len(name), maxName)])
	case junit.Skipped:
		c.Ignored++
	default:
		c.Passed++
		if f.Reruns > 0 {
			again.add([]byte(name))
		}
	}
}
