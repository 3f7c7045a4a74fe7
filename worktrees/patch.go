package worktrees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotApply says that a patch does not fit what is there.
var ErrNotApply = errors.New("it does not apply")

// PatchError says why a patch is refused, whether it fits or not.
type PatchError struct{ Why string }

func (e *PatchError) Error() string { return e.Why }

// maxPatch bounds a patch, in bytes: a defect is a few lines.
const maxPatch = 1 << 20

// applyOptions let a patch through with its context as it is, letter for letter,
// and with whatever blanks its lines end.
func applyOptions() []string {
	return []string{"-c", "core.autocrlf=false", "-c", "apply.ignoreWhitespace=no", "apply", "--whitespace=nowarn"}
}

// PatchPaths are the paths that a patch changes, from the lane's root, sorted. The
// error is a *PatchError for one that reaches out of the lane or into git's own
// files, or that does more than change, make or remove regular files: it is held
// against what the lane has on disk.
func PatchPaths(ctx context.Context, l Lane, patch []byte) ([]string, error) {
	paths, err := patchFiles(ctx, l, patch)
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// patchFiles are the same in the order of the patch, each as often as it stands there.
func patchFiles(ctx context.Context, l Lane, patch []byte) ([]string, error) {
	if len(patch) > maxPatch {
		return nil, &PatchError{fmt.Sprintf("it is over %d MiB", maxPatch>>20)}
	}
	if why := forbidden(patch); why != "" {
		return nil, &PatchError{why}
	}
	out, err := runGit(ctx, l, patch, append(applyOptions(), "--numstat", "-z", "-")...)
	if err != nil {
		if exitCode(err) > 0 {
			return nil, &PatchError{"git cannot read it: " + gitSays(err)}
		}
		return nil, err
	}
	var paths []string
	for _, record := range splitNUL(out) {
		fields := strings.SplitN(record, "\t", 3) // added, removed, path
		if len(fields) < 3 || fields[0] == "-" {
			return nil, &PatchError{"it is not a patch of text: " + record}
		}
		paths = append(paths, fields[2])
	}
	if len(paths) == 0 {
		return nil, &PatchError{"it changes nothing"}
	}
	for _, path := range paths {
		if why := l.Reaches(path); why != "" {
			return nil, &PatchError{fmt.Sprintf("%q %s", path, why)}
		}
	}
	return paths, nil
}

// forbidden finds what a patch may not do by its extended headers. A line of a
// hunk begins with a blank, + or -, so that none of it is taken for one.
func forbidden(patch []byte) string {
	for line := range bytes.Lines(patch) {
		text := string(bytes.TrimRight(line, "\r\n"))
		word := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
		switch {
		case word("old mode "), word("new mode "):
			return "it changes the mode of a file"
		case word("new file mode ") && !word("new file mode 100644"), word("deleted file mode ") && !word("deleted file mode 100"):
			return "it makes or removes something that is no plain file: " + text
		case word("rename "), word("copy "):
			return "it renames or copies a file; write it as lines that go and come (git diff --no-renames)"
		case word("GIT binary patch"), word("Binary files "):
			return "it is not a patch of text"
		}
	}
	return ""
}

// Reaches says why a path, from the lane's root, is none of a file that is the lane's
// own to be changed: "" where it is.
func (l Lane) Reaches(path string) string {
	if !filepath.IsLocal(path) || path != filepath.Clean(path) {
		return "leads out of the lane"
	}
	at := l.Root
	for _, word := range strings.Split(path, "/") {
		// As git does, for file systems that take one for the other.
		if name := strings.ToLower(strings.TrimRight(word, ". ")); name == ".git" || name == "git~1" {
			return "is one of git's own files"
		}
		at = filepath.Join(at, word)
		info, err := os.Lstat(at)
		switch {
		case err != nil: // it comes with the patch, or does not fit
		case info.Mode()&os.ModeSymlink != 0:
			return "leads through a symbolic link"
		case !info.IsDir() && !info.Mode().IsRegular():
			return "is no regular file"
		case info.IsDir() && there(filepath.Join(at, ".git")):
			return "is in a submodule, or in another repository"
		}
	}
	return ""
}

// Fit says how a patch fits a lane.
type Fit struct {
	Paths []string // that it changes, from the lane's root, sorted
	Moved []string // its hunks that go elsewhere than where it has them, each a sentence
}

// CheckPatch says whether and how a patch would fit; the error wraps ErrNotApply where
// it does not, or would only fit into another function than it was made in, and is a
// *PatchError where it is refused. Nothing is written.
func CheckPatch(ctx context.Context, l Lane, patch []byte) (Fit, error) {
	files, err := patchFiles(ctx, l, patch)
	if err != nil {
		return Fit{}, err
	}
	moved, err := places(ctx, l, patch, files)
	if err != nil {
		return Fit{}, err
	}
	slices.Sort(files)
	return Fit{slices.Compact(files), moved}, nil
}

// ApplyPatch applies a patch to the files of the scratch lane, all of it or
// nothing, and gives their paths. CheckPatch it before: a place that only looks like
// its own is not refused here. Settle it before a build.
func (s *Scratch) ApplyPatch(ctx context.Context, patch []byte) ([]string, error) {
	paths, err := PatchPaths(ctx, s.Lane, patch)
	if err != nil {
		return nil, err
	}
	_, err = s.place.git(ctx, s.Lane, patch, append(applyOptions(), "-")...)
	if exitCode(err) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrNotApply, gitSays(err))
	}
	return paths, err
}

// gitSays is what git itself said, of an error of runGit.
func gitSays(err error) string {
	text := err.Error()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if _, said, ok := strings.Cut(text, exit.Error()+": "); ok {
			text = said
		}
	}
	return clipped(text)
}

// clipped is for a message of git's about a patch, without its prefix.
func clipped(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "error: "); line != "" {
			lines = append(lines, line)
		}
	}
	return clipText(strings.Join(lines, "; "))
}
