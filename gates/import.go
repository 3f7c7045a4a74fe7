package gates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gpuci/gates/history"
)

// Importing is a run that was done on another machine.
type Importing struct {
	From     string // its directory here, as it was there; it is copied
	State    string // where runs of the workspace are recorded
	History  *Past  // that its verdict goes into
	KeepRuns int    // as of Options
	Note     func(string)

	// What its verdict must be of: one that is of something else is none.
	Run, Gate string
	Exit      int
}

// maxVerdict is far more than any verdict has, in bytes.
const maxVerdict = 64 << 20

// Import records a run of another machine as one of this: its directory is below State
// then, and its outcome in the history, as those of a run here are. It can be done again.
// What a run has told stays as it was there, but for where its own directory is. An error
// that wraps ErrNoVerdict is of what is in From; after another one it is to be tried again.
func Import(o Importing) (Verdict, error) {
	v, data, err := readVerdict(filepath.Join(o.From, "verdict.json"))
	if err == nil && (v.Run != o.Run || v.Gate != o.Gate || v.Exit != o.Exit) {
		err = fmt.Errorf("%w %s with exit code %d: it is of run %s of gate %s, exit code %d", ErrNoVerdict, o.Gate, o.Exit, v.Run, v.Gate, v.Exit)
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("import run: %w", err)
	}
	dir := filepath.Join(o.State, "runs", v.Run)
	there := v.Dir
	data = movedIn(data, there, dir)
	if v, err = parseVerdict(data); err == nil {
		err = fileRun(o.From, dir, there)
	}
	if err == nil {
		err = keepImported(o.History, data)
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("import run %s: %w", v.Run, err)
	}
	f := &flow{opt: Options{State: o.State, History: o.History, KeepRuns: o.KeepRuns, Note: o.Note}, v: &v}
	f.prune()
	if v.Trace != nil {
		f.traced, f.rec = &tracing{}, &record{dir: v.Dir}
		f.pruneTraces()
	}
	return v, nil
}

// keepImported adds a verdict as it was written: a number that was none is none.
func keepImported(p *Past, data []byte) error {
	if p == nil {
		return nil
	}
	return keepJSON(p, data)
}

// ErrNoVerdict says that a file is no verdict of a gate.
var ErrNoVerdict = errors.New("it is no verdict of a gate")

// readVerdict reads the verdict of a run.
func readVerdict(path string) (v Verdict, data []byte, err error) {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxVerdict) {
		err = fmt.Errorf("%w: %s is no file, or far too large", ErrNoVerdict, path)
	}
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err == nil {
		v, err = parseVerdict(data)
	}
	return v, data, err
}

func parseVerdict(data []byte) (v Verdict, err error) {
	switch err = json.Unmarshal(data, &v); {
	case err != nil:
		return Verdict{}, fmt.Errorf("%w: %w", ErrNoVerdict, err)
	case v.Type != kindOf("") || !runForm.MatchString(v.Run) || v.Gate == "" || filepath.Base(v.Dir) != v.Run:
		return Verdict{}, fmt.Errorf("%w: it is of no run", ErrNoVerdict)
	}
	return v, nil
}

// movedIn puts one directory in the place of another in a text of JSON. The name of a run
// is in both, so that nothing else is meant by it.
func movedIn(data []byte, from, to string) []byte {
	quoted := func(path string) []byte {
		text, _ := history.Marshal(path) // a string has a form
		return bytes.Trim(text, "\"\n")
	}
	return bytes.ReplaceAll(data, quoted(from), quoted(to))
}

// fileRun copies the directory of a run. One that is there already is of this run: its
// name says so.
func fileRun(from, dir, there string) error {
	if _, err := os.Lstat(filepath.Join(dir, "verdict.json")); err == nil {
		return nil
	}
	part := dir + ".part"
	err := os.RemoveAll(part)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(dir), 0o755)
	}
	if err == nil {
		err = copyRun(from, part, func(data []byte) []byte { return movedIn(data, there, dir) })
	}
	if err == nil {
		err = os.RemoveAll(dir) // of a run, without a verdict
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err != nil {
		_ = os.RemoveAll(part)
	}
	return err
}

// copyRun copies the files and directories of a run; links and what else there is are left
// out. The verdict goes through change.
func copyRun(from, to string, change func([]byte) []byte) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		at := filepath.Join(to, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.Mkdir(at, 0o755)
		case !e.Type().IsRegular():
			return nil
		}
		f, err := root.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if path != "verdict.json" {
			return writeFrom(at, f)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		return writeFrom(at, bytes.NewReader(change(data)))
	})
}

func writeFrom(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
