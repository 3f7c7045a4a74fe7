package shim

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// NotFoundError says that there is no real tool behind a shim. Its Err is
// ENOENT, or EACCES when there is one that may not be executed.
type NotFoundError struct {
	Name string
	Err  error
}

func (e *NotFoundError) Error() string {
	if errors.Is(e.Err, syscall.EACCES) {
		return "find real " + e.Name + ": it is on PATH and may not be executed; look at its permissions"
	}
	return "find real " + e.Name + ": it is not on PATH behind the shims; install it, or run `gpuci env` again if it was removed"
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// search looks for real tools: never a shim, in a directory of shims or
// elsewhere.
type search struct {
	self   unix.Stat_t // the program we are; a link to it anywhere is a shim too
	direct bool        // pass over compiler caches that stand under a compiler's name
	passed bool        // one was passed over
	cached bool        // what was found last is one
	home   Home        // a list that has this directory is searched behind it
	past   []string    // scripts that call us, as in pastVar: the tool is what stands behind them
}

func newSearch(env []string, home Home) *search {
	s := &search{home: home, past: callers(env)}
	_ = unix.Stat("/proc/self/exe", &s.self) // without /proc, directories of shims are still known
	return s
}

// in looks through a list like PATH for the first real tool of that name. Who
// came to us through the list found nothing, or something that called us, before
// our own directory: the tool stands behind it.
func (s *search) in(list, name string) (string, error) {
	found := error(syscall.ENOENT)
	list = s.behind(list)
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" {
			dir = "."
		}
		path := dir + "/" + name
		err := executable(path)
		if errors.Is(err, syscall.EACCES) {
			found = err
		}
		if err == nil && !IsShims(dir) && s.real(path) {
			return path, nil
		}
	}
	return "", &NotFoundError{name, found}
}

func (s *search) behind(list string) string {
	if s.home == "" {
		return list
	}
	for rest := list; rest != ""; {
		var dir string
		dir, rest, _ = strings.Cut(rest, ":")
		if IsShims(dir) {
			return rest
		}
	}
	return list
}

// isScript says whether an executable begins with a line that names its
// interpreter.
func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [2]byte
	n, _ := f.Read(b[:])
	return n == 2 && b == [2]byte{'#', '!'}
}

// real says whether the executable at path is a tool and not one of us.
func (s *search) real(path string) bool {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || st.Dev == s.self.Dev && st.Ino == s.self.Ino {
		return false
	}
	if calls(s.past, path) {
		return false
	}
	s.cached = isCache(path)
	s.passed = s.passed || s.cached && s.direct
	return !s.cached || !s.direct
}

// isCache says whether the compiler at path is a masquerade: a link that leads
// to ccache or sccache.
func isCache(path string) bool {
	if RoleOf(base(path)) == Launcher {
		return false
	}
	for range 40 { // the kernel's own limit for links in a row
		to, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if RoleOf(base(to)) == Launcher {
			return true
		}
		if to[0] != '/' {
			to = path[:strings.LastIndexByte(path, '/')+1] + to
		}
		path = to
	}
	return false
}

// tool finds the tool that a call of name would have reached without shims:
// on PATH, and when PATH does not lead to one (an empty environment), where it
// was when the directory of shims was made.
func (s *search) tool(env []string, name string, home Home) (string, error) {
	list, ok := Lookup(env, "PATH")
	if !ok {
		list = defaultPath
	}
	path, err := s.in(list, name)
	if err == nil {
		return path, nil
	}
	if tools := home.settings().Tools; tools != "" {
		if path, err := s.in(tools, name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// linker finds the linker that a compiler asked for by the path of our shim:
// in COMPILER_PATH, beside the compiler itself, and on PATH. A caller that gave
// a bare name looked on PATH and nowhere else.
func (s *search) linker(env []string, argv0 string, home Home) (string, error) {
	name := base(argv0)
	if name == argv0 {
		return s.tool(env, name, home)
	}
	caller := callerPath()
	if strings.Contains(base(caller), "clang") {
		if path := s.ask(caller, name, env); path != "" {
			return path, nil
		}
	}
	if list, ok := Lookup(env, "COMPILER_PATH"); ok {
		if path, err := s.in(list, name); err == nil {
			return path, nil
		}
	}
	if isDriver(base(caller)) {
		if path, err := s.in(caller[:strings.LastIndexByte(caller, '/')], name); err == nil {
			return path, nil
		}
	}
	return s.tool(env, name, home)
}

// isDriver says whether a program of this name calls linkers from its own
// directory.
func isDriver(name string) bool {
	return name == "collect2" || name == "rustc" || RoleOf(name) == Compiler
}

// callerPath is the program of our parent, "" when it cannot be read.
func callerPath() string {
	path, _ := os.Readlink("/proc/" + itoa(os.Getppid()) + "/exe")
	return path
}
