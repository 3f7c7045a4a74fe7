// Package plant puts the faults of a gate into a source tree, and says of each
// whether it still fits there.
//
// It promises that nothing is written but regular files of the scratch lane it is
// given, that a replacement is made just as often as the fault says or not at all,
// and that a patch is applied whole or not at all. What a fault's own commands do
// is not its business: those are run as a gate's are.
package plant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// RottedError says that a fault does not fit the source any more.
type RottedError struct {
	Why  string
	Next string // what to do about it
}

func (e *RottedError) Error() string { return e.Why }

// Bounds on what is read, in bytes: a source file that people write, and a defect
// of a few lines.
const (
	maxFile  = 16 << 20
	maxPatch = 1 << 20
)

// Check says whether a fault would fit a lane as it is on disk; root is the
// directory of gpuci.toml in it. The error is a *RottedError where it does not, or
// one that says why that cannot be told. Nothing is written, and of a fault that
// is a command nothing is said.
func Check(ctx context.Context, lane worktrees.Lane, root string, f config.Fault) error {
	if f.Patch == "" && f.Replace == nil {
		return nil
	}
	_, err := look(ctx, lane, root, f)
	return err
}

// change is what a fault puts into a lane.
type change struct {
	worktrees.Fit
	patch, text []byte // a patch, or the text of the one file
}

// look reads what a fault puts into a lane, and where.
func look(ctx context.Context, lane worktrees.Lane, root string, f config.Fault) (c change, err error) {
	if f.Patch != "" {
		if c.patch, err = readPatch(root, f); err == nil {
			c.Fit, err = worktrees.CheckPatch(ctx, lane, c.patch)
			err = patched(f, err)
		}
	} else if c.text, err = replaced(root, f); err == nil {
		var rel string
		rel, err = filepath.Rel(lane.Root, filepath.Join(root, f.Replace.File))
		c.Paths = []string{filepath.ToSlash(rel)}
		if why := lane.Reaches(c.Paths[0]); why != "" {
			err = &RottedError{f.Replace.File + " " + why, "name the file itself, by its path from the directory of " + config.FileName}
		}
	}
	if err != nil {
		return c, err
	}
	// What git ignores is in no scratch lane but where a build has made it, and would
	// not be restored.
	ignored, err := worktrees.Ignored(ctx, lane, c.Paths)
	switch {
	case err != nil:
		return c, fmt.Errorf("plant fault %s: %w", f.Name, err)
	case len(ignored) > 0:
		return c, &RottedError{fmt.Sprintf("git ignores %s, which it changes", ignored[0]), "plant it in what that is made from"}
	}
	return c, nil
}

// Apply plants a fault that is a patch or a replacement in a scratch lane, and says
// which paths it changed, from the scratch lane's root, and which hunks of a patch
// went elsewhere than where it has them. root is the directory of gpuci.toml in the
// scratch lane.
func Apply(ctx context.Context, s *worktrees.Scratch, root string, f config.Fault) (worktrees.Fit, error) {
	c, err := look(ctx, s.Lane, root, f)
	switch {
	case err != nil:
		return worktrees.Fit{}, err
	case f.Patch != "":
		c.Paths, err = s.ApplyPatch(ctx, c.patch)
		return c.Fit, patched(f, err)
	}
	if err := s.WriteFile(c.Paths[0], c.text); err != nil {
		return c.Fit, fmt.Errorf("plant fault %s: %w", f.Name, err)
	}
	return c.Fit, nil
}

// patched makes what became of a patch a *RottedError, where it is one.
func patched(f config.Fault, err error) error {
	var refused *worktrees.PatchError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return &RottedError{fmt.Sprintf("%s is refused: %s", f.Patch, refused.Why), "mend " + f.Patch + ": paths from the repository's root, text alone, regular files alone"}
	case errors.Is(err, worktrees.ErrNotApply):
		return &RottedError{fmt.Sprintf("%s: %s", f.Patch, where(err)), "make " + f.Patch + " anew: plant the fault by hand, git diff > " + f.Patch + ", and take it back"}
	}
	return fmt.Errorf("plant fault %s: %w", f.Name, err)
}

// where is the part of git's answer that names a place: it also prints the lines that
// it looked for.
func where(err error) string {
	text := err.Error()
	if at := placeOf.FindStringSubmatch(text); at != nil {
		return "its text is not found at " + at[1]
	}
	return text
}

var placeOf = regexp.MustCompile(`patch failed: ([^;\n]+:\d+)`)

func readPatch(root string, f config.Fault) ([]byte, error) {
	data, err := read(root, f.Patch, maxPatch)
	if err != nil {
		return nil, &RottedError{fmt.Sprintf("its patch %s: %v", f.Patch, err), "write it, and let git know it (git add): what git ignores is in no scratch lane"}
	}
	return data, nil
}

// replaced is a file with a fault's text in place of what stands there.
func replaced(root string, f config.Fault) ([]byte, error) {
	r := f.Replace
	next := fmt.Sprintf("mend from and count of fault %s in %s", f.Name, config.FileName)
	if name := strings.ToLower(filepath.ToSlash(filepath.Clean(r.File))); strings.HasPrefix(name+"/", ".git/") || strings.Contains(name+"/", "/.git/") {
		return nil, &RottedError{r.File + " is one of git's own files", next}
	}
	data, err := read(root, r.File, maxFile)
	if err != nil {
		return nil, &RottedError{fmt.Sprintf("%s: %v", r.File, err), "name the file as it is called now in fault " + f.Name}
	}
	if n := bytes.Count(data, []byte(r.From)); n != r.Count {
		return nil, &RottedError{fmt.Sprintf("%q stands in %s %s, not %s", clip(r.From), r.File, times(n), times(r.Count)), next}
	}
	return bytes.ReplaceAll(data, []byte(r.From), []byte(r.To)), nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func clip(text string) string {
	const most = 60 // characters: the line of gpuci.toml has it all
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// read reads a regular file below a directory. No link leads out of it, and
// nothing that waits for a writer is opened.
func read(dir, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, plainly(err)
	}
	defer root.Close()
	info, err := root.Lstat(filepath.Clean(name))
	switch {
	case err != nil:
		return nil, plainly(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > most:
		return nil, fmt.Errorf("it is over %d MiB", most>>20)
	}
	file, err := root.OpenFile(filepath.Clean(name), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, plainly(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it is over %d MiB", most>>20)
	}
	return data, err
}

// plainly leaves out of an error what the message around it says.
func plainly(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it is not there")
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
