package reaper

import (
	"context"
	"strings"
)

// Script reads the arguments of an interpreter, once for all pictures, under the
// deadline of a cookie: they are in the same memory.
func (f *facts) Script(pid int) (path string, known bool) {
	p, ok := f.processes[pid]
	if !ok {
		return "", false
	}
	key := bearerOf(p.Stat)
	if a, ok := f.eye.scripts[key]; ok {
		return a.value, a.known
	}
	limited, cancel := context.WithTimeout(f.ctx, cookieTime)
	defer cancel()
	argv, err := f.eye.root.Cmdline(limited, pid)
	if f.ctx.Err() != nil {
		return "", false // it was we who did not wait
	}
	var a answer[string]
	if a.known = err == nil && f.still(pid); a.known {
		a.value = scriptIn(argv)
	}
	f.eye.missed(f.owned(pid), "arguments", err)
	if a.known || hopeless(err) {
		f.eye.scripts[key] = a
	}
	return a.value, a.known
}

// plainOptions are those letters that the first line of a script mostly has,
// `#!/bin/sh -e`, and that take no argument in any of the interpreters.
const plainOptions = "efuvxwsBEIOS"

// scriptIn is the file that an interpreter is given to run: its first argument
// that is no option, "" when it is given the text of a program, or an option
// that may take the next argument for its own.
func scriptIn(argv []string) string {
	for i, arg := range argv {
		switch {
		case i == 0:
		case !strings.HasPrefix(arg, "-"):
			return arg
		case arg == "-", strings.Trim(arg[1:], plainOptions) != "":
			return ""
		}
	}
	return ""
}
