package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// shell writes changes of an environment in the language of one shell.
type shell struct {
	name  string
	set   func(change) string
	unset func(name string) string
}

// bourne are the shells that read what sh reads.
var bourne = []string{"bash", "zsh", "sh", "dash", "ash", "ksh", "mksh", "yash", "busybox"}

// foreign are shells that there are no lines for.
var foreign = []string{"csh", "tcsh", "bsd-csh", "nu", "elvish", "pwsh", "ion", "rc", "es", "xonsh"}

// shellFor picks the shell: the one that the flag names, else the program that
// started us, if that is a shell, else the login shell. Where there is not even
// that, sh is meant.
func shellFor(flag, parent, login string) (shell, error) {
	name, hint := flag, "--shell bash, zsh, fish or direnv says which one is to read them"
	if name == "" {
		name = unversioned(parent)
		if !slices.Contains(slices.Concat(bourne, foreign, []string{"fish"}), name) {
			name = unversioned(login)
		}
	}
	switch {
	case name == "":
		return shell{"sh", bourneSet, bourneUnset}, nil
	case slices.Contains(bourne, name):
		return shell{name, bourneSet, bourneUnset}, nil
	case name == "direnv":
		return shell{name, direnvSet, bourneUnset}, nil
	case name == "fish":
		return shell{name, fishSet, func(name string) string { return "set -e " + name }}, nil
	}
	return shell{}, coded{gates.ExitUsage, fmt.Sprintf("there are no lines for the shell %q", name), hint}
}

// unversioned is the name of a shell's program: zsh of /bin/zsh-5.9.
func unversioned(path string) string {
	if path == "" {
		return ""
	}
	return strings.TrimRight(filepath.Base(path), "0123456789.-")
}

// parentProgram is the program that started us: `$(…)` and a pipeline make a
// copy of the shell that reads them. It is not told by the name of the process,
// which in a script is the script's.
func parentProgram() string {
	exe, err := proc.Real.Exe(os.Getppid())
	if err != nil || !exe.Known() {
		return ""
	}
	return exe.Path
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
