package reader

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gpuci/gates/junit"
)

// junitFiles counts in the JUnit XML files that a run leaves behind. What it
// prints is the test's own.
//
// A file counts if the run wrote it. One that was there before, whatever it is
// called now, and holds the same bytes, is a contradiction, also where its time is
// new: somebody touched it. A tool that writes the same bytes anew is told apart
// by what it leaves: as a rule another file, since it removes the old one or
// renames a new one into its place. One that writes over the old file the very
// bytes that it held, times and all, cannot be told from a touch; the text says
// how to. A file with an older time than the run was only moved there. So are no
// file at all, one that is no JUnit or is cut off, and sums that its cases do not
// make. A case, or a suite as a whole, that failed or had an error is failed; one
// that passed after a failure (flakyFailure) is remarked on. A file with several
// names counts once.
//
// Not detected: a run that writes a report without running anything, copies of a
// report, and a touched file where those that were there before are so large that
// not all were read (maxOld).
type junitFiles struct {
	none
	dir    string
	glob   string
	parts  []string
	began  time.Time
	before map[fileID]oldFile
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
	j := &junitFiles{dir: dir, glob: glob, parts: parts, began: began}
	files, err := globFiles(dir, parts)
	j.before, j.fault = oldFiles(files), err
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
	again, seen := nameList{}, make(map[fileID]bool)
	for _, file := range files {
		if err := j.file(&c, file, seen, &again); err != nil {
			c.contradict("%s: %v", j.short(file), err)
		}
	}
	if again.n > 0 {
		c.remark("flaky: %s ran again after a failure, such as %s", count(again.n, "test"), again.names[0])
	}
	return c
}

// file counts one file, unless it is another run's, or was counted by another
// name.
func (j *junitFiles) file(c *Counts, path string, seen map[fileID]bool, again *nameList) error {
	f, id, err := openReport(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if seen[id] {
		return nil
	}
	seen[id] = true
	if err := j.stale(f, id); err != nil {
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

// stale says that the run did not write a file. It leaves the file at its
// beginning.
func (j *junitFiles) stale(f *os.File, id fileID) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	old, there := j.before[id]
	same := there && old.size == now.Size() && old.at.Equal(now.ModTime())
	if same || now.ModTime().Before(j.began.Add(-clockSlack)) {
		return fmt.Errorf("it is older than this run (%s): let the run write it anew, or remove it first", now.ModTime().Format(time.DateTime))
	}
	if !there || !old.read || old.size != now.Size() {
		return nil
	}
	sum, err := hashOf(f)
	if err == nil && sum == old.sum {
		err = errors.New("it was there before this run and holds what it held, though its time is new: a touch is no report; if the run did write it, let it remove the file first")
	}
	return err
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
	switch {
	case f.Whole:
		name = strings.TrimSpace("suite "+f.Name) + " as a whole"
	case name == "":
		name = "a case without a name"
	}
	switch f.Outcome {
	case junit.Failed, junit.Errored:
		c.fail(name[:min(len(name), maxName)])
	case junit.Skipped:
		c.ignore(name[:min(len(name), maxName)])
	default:
		c.pass(name[:min(len(name), maxName)])
		if f.Reruns > 0 {
			again.add([]byte(name))
		}
	}
}
