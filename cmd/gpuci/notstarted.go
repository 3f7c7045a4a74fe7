package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// startError says that a command could not be started.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// notStarted says why a command could not be started, with the exit codes of a
// shell.
func notStarted(argv []string, err error) error {
	name := argv[0]
	switch {
	case name == "":
		err = coded{127, "the name of the command is empty", "is a variable in it not set?"}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		err = coded{127, fmt.Sprintf("%s: there is no such command", name), nameHint(argv)}
	case errors.Is(err, fs.ErrPermission):
		err = coded{126, fmt.Sprintf("%s may not be executed", name), "chmod +x, or name the program that runs it"}
	case errors.Is(err, unix.ENOEXEC):
		err = coded{126, fmt.Sprintf("%s is no program", name), "give it a #! line, or name the shell: sh " + name}
	}
	return startError{err}
}

// builtins are words that a shell does not look for on PATH.
var builtins = []string{".", ":", "[[", "alias", "bg", "builtin", "cd", "command", "declare", "eval", "exec", "exit", "export", "fg", "for", "if",
	"let", "local", "popd", "pushd", "set", "shopt", "source", "trap", "type", "ulimit", "umask", "unset", "until", "wait", "while", "{", "("}

// nameHint says what to do about a word that is no command: somebody may have
// written it for a shell, which takes no part here.
func nameHint(argv []string) string {
	name := argv[0]
	variable, _, assigns := strings.Cut(name, "=")
	switch {
	case assigns && isVariable(variable):
		return "env " + commandText(argv) + " sets a variable for a command"
	case slices.Contains(builtins, name):
		return name + " is a word of the shell: sh -c " + bourneQuote(commandText(argv))
	case len(argv) == 1 && strings.ContainsAny(name, "|&;<>$`*"):
		return "it is written for a shell: sh -c " + bourneQuote(name)
	case len(argv) == 1 && strings.ContainsAny(name, " \t\n"):
		return "leave out the quotes: a command and its arguments are words of their own"
	}
	return "look at its name and at PATH"
}

func isVariable(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
