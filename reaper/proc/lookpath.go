package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// LookPath finds a program the way the child's own shell would: a name with a
// slash relative to the child's directory, any other in the child's PATH.
// exec.LookPath answers for our directory and our PATH instead.
func LookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, runnable(name)
	}
	denied := error(nil)
	for _, d := range filepath.SplitList(getenv(env, "PATH")) {
		if !filepath.IsAbs(d) {
			continue // a relative PATH entry runs whatever the lane holds
		}
		path := filepath.Join(d, name)
		if _, err := os.Stat(path); err != nil {
			continue // not there, or in a directory that is not ours to look into
		}
		switch err := runnable(path); {
		case err == nil:
			return path, nil
		case errors.Is(err, fs.ErrPermission):
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", exec.ErrNotFound
}

func runnable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return &fs.PathError{Op: "run", Path: path, Err: fs.ErrPermission}
	}
	return nil
}

// getenv returns the last value of key, as execve's reader would see it.
func getenv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], key+"="); ok {
			return v
		}
	}
	return ""
}
