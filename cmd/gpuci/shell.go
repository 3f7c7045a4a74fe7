package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"gpuci/gates"
)

// shell writes changes of an environment in the language of one shell.
type shell struct {
	name  string
	set   func(change) string
	unset func(name string) string
}

// shellNamed picks the shell by the flag, or by the path of the login shell.
// Every shell of the Bourne family reads what bash reads.
func shellNamed(flag, login string) (shell, error) {
	name := flag
	if name == "" {
		name = filepath.Base(login)
	}
	switch name {
	case "bash", "zsh", "sh", "dash", "ash", "ksh", "mksh", ".": // ".": there is no $SHELL
		return shell{name, bourneSet, bourneUnset}, nil
	case "direnv":
		return shell{name, direnvSet, bourneUnset}, nil
	case "fish":
		return shell{name, fishSet, func(name string) string { return "set -e " + name }}, nil
	}
	return shell{}, coded{gates.ExitUsage, fmt.Sprintf("there are no lines for the shell %q", name), "--shell bash, zsh, fish or direnv says which one is to read them"}
}

// script is what the shell evaluates.
func (s shell) script(list []change) string {
	var b strings.Builder
	for _, c := range list {
		line := s.unset(c.name)
		if !c.unset {
			line = s.set(c)
		}
		// With a semicolon, so that eval $(gpuci env) without quotes works too.
		b.WriteString(line + ";\n")
	}
	return b.String()
}

func bourneSet(c change) string { return "export " + c.name + "=" + bourneQuote(c.value) }

func bourneUnset(name string) string { return "unset " + name }

func bourneQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// direnvSet uses the functions that direnv has for paths, so that what a line
// further up in the .envrc has added stays.
func direnvSet(c change) string {
	first, _, _ := strings.Cut(c.value, ":")
	switch c.name {
	case "PATH":
		return "PATH_add " + bourneQuote(first)
	case "COMPILER_PATH":
		return "path_add COMPILER_PATH " + bourneQuote(first)
	}
	return bourneSet(c)
}

// fishSet gives a list for what fish takes for a list: variables whose names
// end in PATH.
func fishSet(c change) string {
	words := []string{c.value}
	if strings.HasSuffix(c.name, "PATH") {
		words = strings.Split(c.value, ":")
	}
	for i := range words {
		words[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(words[i]) + "'"
	}
	return "set -gx " + c.name + " " + strings.Join(words, " ")
}
