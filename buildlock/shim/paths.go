package shim

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// defaultPath is where programs are looked for when PATH is not set.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// IsShims says whether dir is a directory of shims, whoever made it: it has
// the marker file.
func IsShims(dir string) bool {
	var st unix.Stat_t
	return dir != "" && unix.Stat(dir+"/"+markerName, &st) == nil
}

// withoutShims takes every directory of shims out of a list like PATH, and
// says whether there was one.
func withoutShims(list string) (string, bool) {
	dirs := strings.Split(list, ":")
	kept := dirs[:0]
	for _, d := range dirs {
		if !IsShims(d) {
			kept = append(kept, d)
		}
	}
	return strings.Join(kept, ":"), len(kept) < len(dirs)
}

// Lookup gives the value of a variable in an environment. The last one counts
// when there are several, as for os/exec.
func Lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := cutName(env[i], name); ok {
			return v, true
		}
	}
	return "", false
}

func cutName(entry, name string) (string, bool) {
	if len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
		return entry[len(name)+1:], true
	}
	return "", false
}

// With gives env with the variable set; env itself stays as it is.
func With(env []string, name, value string) []string {
	return append(Without(env, name), name+"="+value)
}

// Without gives env without the variable.
func Without(env []string, name string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if _, ok := cutName(e, name); !ok {
			out = append(out, e)
		}
	}
	return out
}

// stripped gives env with the shims out of the list in a variable. A list that
// held nothing else is unset again: an empty COMPILER_PATH is the working
// directory to gcc.
func stripped(env []string, name string) []string {
	list, ok := Lookup(env, name)
	if !ok {
		return env
	}
	rest, had := withoutShims(list)
	switch {
	case !had:
		return env
	case rest == "" && !strings.Contains(list, ":"):
		return Without(env, name)
	}
	return With(env, name, rest)
}

// inFront gives env with dir as the first of the list in a variable.
func inFront(env []string, name, dir string) []string {
	if list, ok := Lookup(env, name); ok {
		dir += ":" + list
	}
	return With(env, name, dir)
}

// executable says whether path is a file that we may execute; if it may not
// be, err is EACCES.
func executable(path string) error {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return syscall.EACCES
	}
	return unix.Access(path, unix.X_OK)
}

// OnPath is the program that a name leads to, as for execvp(3): a shim too, if
// it is the first. The error is a *NotFoundError.
func OnPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	list, ok := Lookup(env, "PATH")
	if !ok {
		list = defaultPath
	}
	found := error(syscall.ENOENT)
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" {
			dir = "."
		}
		path := dir + "/" + name
		switch err := executable(path); {
		case err == nil:
			return path, nil
		case errors.Is(err, syscall.EACCES):
			found = err
		}
	}
	return "", &NotFoundError{name, found}
}

// selfPath is the file we were executed from.
func selfPath() string {
	self, _ := os.Readlink("/proc/self/exe")
	return self
}
