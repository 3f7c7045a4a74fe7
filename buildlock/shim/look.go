package shim

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Plan is what a shim does with one call: execute Path with Args and Env,
// after taking a ticket if Ticket says so.
type Plan struct {
	Tool   string // the name we were called by
	Role   Role
	Path   string // the real tool
	Args   []string
	Env    []string
	Ticket bool
}

// Look plans a call. args is the whole argument vector, env the environment it
// came with. The error is a *NotFoundError.
func Look(args, env []string, home Home) (Plan, error) {
	l := &look{
		Plan:   Plan{Tool: base(args[0]), Role: RoleOf(base(args[0])), Args: args, Env: env},
		search: newSearch(), home: home,
	}
	var err error
	switch l.Role {
	case Linker:
		err = l.linker()
	case Launcher:
		err = l.launcher()
	case Configurer, Runner:
		err = l.configurer()
	default:
		err = l.compiler()
	}
	return l.Plan, err
}

// look is a plan in the making.
type look struct {
	Plan
	*search
	home Home
}

// compiler plans a call of cc or nvcc.
func (l *look) compiler() error {
	call := Read(l.Role, l.Tool, l.Args[1:], readResponse)
	// A cache that was called by its own path runs us for its compiler: a
	// masquerade behind us would be that cache once more.
	l.direct = call.Links || RoleOf(base(callerPath())) == Launcher
	path, err := l.tool(l.Env, l.Tool, l.home)
	if err != nil {
		return err
	}
	l.execute(path)
	l.queue(call)
	if l.cached {
		l.Env = Bare(l.Env) // its entries are to be those of a bare build
	}
	return nil
}

// queue decides who takes the ticket of a link, and which shims the real tool
// may still meet: none below a ticket; the linkers' where one of them is to
// take it.
func (l *look) queue(call Call) {
	switch {
	case call.Wraps && l.Role == CUDA: // it runs the program: not under a ticket
		return
	case call.Links && (!call.Compiles || l.hidden(call)):
		l.Ticket = true
		l.Env = stripped(stripped(l.Env, "PATH"), "COMPILER_PATH")
	case call.Links:
		l.Env = l.reachable(stripped(l.Env, "PATH"))
	case call.Prints: // libtool notes the linker that gcc -print-prog-name gives
		l.Env = stripped(stripped(l.Env, "PATH"), "COMPILER_PATH")
	default:
		l.Env = stripped(l.Env, "PATH")
	}
}

// hidden says whether the compiler would not find our linker shim: its options
// say so, there is none of that name, or `mold -run` is above us, which puts
// mold in the place of whatever linker is executed.
func (l *look) hidden(call Call) bool {
	_, mold := Lookup(l.Env, "MOLD_PATH")
	return call.Hidden || mold || executable(string(l.home)+"/"+call.Linker) != nil
}

// reachable puts our directory into COMPILER_PATH if no shims are in it.
func (l *look) reachable(env []string) []string {
	list, _ := Lookup(env, "COMPILER_PATH")
	if _, had := withoutShims(list); had || l.home == "" {
		return env
	}
	return inFront(env, "COMPILER_PATH", string(l.home))
}

// execute sets the real tool. argv[0] stays as the caller gave it when it was
// a bare name; a path in it was ours. Behind a cache that is passed over, a
// compiler gets the path that the cache would have called it by.
func (l *look) execute(path string) {
	l.Path = path
	if strings.Contains(l.Args[0], "/") || l.passed {
		l.Args = append([]string{path}, l.Args[1:]...)
	}
}

// linker plans a call of a linker.
func (l *look) linker() error {
	call := Read(Linker, l.Tool, l.Args[1:], readResponse)
	path, err := l.search.linker(l.Env, l.Args[0], l.home)
	if err != nil {
		return err
	}
	l.execute(path)
	l.Ticket = call.Links
	if !call.Wraps {
		l.Env = stripped(l.Env, "PATH")
	}
	if l.Ticket {
		l.Env = stripped(l.Env, "COMPILER_PATH")
	}
	return nil
}

// configurer plans a call of cmake or meson, or of make or ninja. Where it may
// note the tools it finds, the shims are out of PATH and in COMPILER_PATH.
func (l *look) configurer() error {
	path, err := l.tool(l.Env, l.Tool, l.home)
	if err != nil {
		return err
	}
	l.execute(path)
	if remembers(l.Role, l.Tool, l.Args[1:], ".") {
		l.Env = l.reachable(stripped(l.Env, "PATH"))
	}
	return nil
}
