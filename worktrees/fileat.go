package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// ErrAstray is what FileAt's error wraps where a symbolic link of the commit leads
// out of it, to nothing, or in a circle.
var ErrAstray = errors.New("the symbolic link leads nowhere in the commit")

// FileAt is a file as a commit has it; ok is false where it has none. The path
// counts from the lane's root. Symbolic links in the commit are followed, to what
// the commit has there.
func FileAt(ctx context.Context, l Lane, commit, name string) (data []byte, ok bool, err error) {
	real, ok, err := followAt(ctx, l, commit, name)
	if err == nil && ok {
		data, err = runGit(ctx, l, nil, "cat-file", "--filters", commit+":"+real)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read %s of commit %.10s: %w", name, commit, err)
	}
	return data, ok, nil
}

// mostLinks is how many symbolic links are followed, as the kernel does
// (path_resolution(7)).
const mostLinks = 40

// followAt is the path of what a path comes to by the symbolic links of a commit.
func followAt(ctx context.Context, l Lane, commit, name string) (real string, ok bool, err error) {
	if mode, err := modeAt(ctx, l, commit, name); err != nil || isFile(mode) {
		return name, err == nil, err
	}
	rest := strings.Split(path.Clean(name), "/")
	for links := 0; len(rest) > 0; {
		step := rest[0]
		rest = rest[1:]
		switch {
		case step == "" || step == ".":
			continue
		case step == ".." && real == "":
			return "", false, fmt.Errorf("%w: it leads out of it", ErrAstray)
		case step == "..":
			if real = path.Dir(real); real == "." {
				real = ""
			}
			continue
		}
		at := path.Join(real, step)
		mode, err := modeAt(ctx, l, commit, at)
		if err == nil && mode == "" && links > 0 {
			err = fmt.Errorf("%w: there is no %s", ErrAstray, at)
		}
		if err != nil || mode == "" {
			return "", false, err
		}
		if mode != modeLink {
			real = at
			continue
		}
		if links++; links > mostLinks {
			return "", false, fmt.Errorf("%w: it leads in a circle", ErrAstray)
		}
		target, err := runGit(ctx, l, nil, "cat-file", "blob", commit+":"+at)
		if err != nil {
			return "", false, err
		}
		if path.IsAbs(string(target)) {
			return "", false, fmt.Errorf("%w: it leads to %s", ErrAstray, target)
		}
		rest = append(strings.Split(string(target), "/"), rest...)
	}
	if mode, err := modeAt(ctx, l, commit, real); err != nil || !isFile(mode) {
		return "", false, errors.Join(err, fmt.Errorf("%q is no file", real))
	}
	return real, true, nil
}

// modeLink is the mode of a symbolic link in a tree.
const modeLink = "120000"

func isFile(mode string) bool { return strings.HasPrefix(mode, "100") }

// modeAt is the mode that a commit has at a path, "" where it has nothing there.
func modeAt(ctx context.Context, l Lane, commit, name string) (string, error) {
	out, err := runGit(ctx, l, nil, "ls-tree", "-z", commit, "--", name)
	mode, _, _ := strings.Cut(string(out), " ")
	return mode, err
}
