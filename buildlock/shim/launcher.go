package shim

import "strings"

// launcher plans a call of ccache or sccache by its own name. For a link it is
// left out, as it would only pass the call on, and a server that it starts
// would keep our ticket. For a compile the shims are out of PATH, so that it
// looks at the real compiler. What rustc links, it finds on PATH.
func (l *look) launcher() error {
	at, name := launched(l.Args)
	role := RoleOf(base(name))
	compiles := role == Compiler || role == CUDA
	if compiles {
		if call := Read(role, base(name), l.Args[at+1:], readResponse); call.Links {
			return l.unlaunched(at, role, call)
		}
	}
	path, err := l.tool(l.Env, l.Tool, l.home)
	if err != nil {
		return err
	}
	l.execute(path)
	switch {
	case compiles: // ccache makes COMPILER_PATH a part of its keys
		l.Env = Bare(l.Env)
	case !isRust(base(name)):
		l.Env = withoutCacheChecks(stripped(l.Env, "PATH"))
	}
	return nil
}

// launched finds the compiler in a launcher's arguments, behind the settings
// that ccache takes before it. There is none in a call like ccache -s.
func launched(args []string) (at int, name string) {
	for at = 1; at < len(args); at++ {
		name, _, setting := strings.Cut(args[at], "=")
		if !setting || strings.ContainsAny(name, "/-") {
			return at, args[at]
		}
	}
	return at, ""
}

func isRust(name string) bool {
	return name == "rustc" || strings.HasPrefix(name, "rustc-") || name == "rustdoc" || name == "clippy-driver"
}

// unlaunched plans the link that the launcher would have passed on to the
// compiler at args[at].
func (l *look) unlaunched(at int, role Role, call Call) error {
	l.Role, l.direct = role, true
	path := l.Args[at]
	if !strings.Contains(path, "/") || executable(path) == nil && !l.real(path) {
		var err error
		if path, err = l.tool(l.Env, base(path), l.home); err != nil {
			return err
		}
	}
	l.Path = path
	l.Args = append([]string{path}, l.Args[at+1:]...)
	l.queue(call)
	return nil
}
