package gates

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gpuci/gates/config"
)

// everywhere are programs that any Linux has on which a driver can be installed: those
// of POSIX that scripts use, bash, coreutils, and what the driver brings.
var everywhere = strings.Fields(`awk basename bash cat chgrp chmod chown cksum cmp comm cp cut date dd df diff dirname
	du env expr factor find fold grep egrep fgrep gzip head hostname id install join kill ln ls md5sum mkdir mkfifo mktemp
	mv nice nl nohup nproc numfmt od paste pr printenv ps readlink realpath rm rmdir sed seq sh sha256sum shuf sleep
	sort split stat stdbuf tail tar tee timeout touch tr tsort tty uname uniq wc xargs yes nvidia-smi`)

// toolchains are programs of which a machine with nothing but a driver has none, though
// it may look so where the bundle is made.
var toolchains = strings.Fields(`cargo rustc rustup go cc c++ gcc g++ clang clang++ nvcc cmake ctest ninja make meson bazel
	python python3 pytest pip uv node npm npx java perl ruby git docker podman ncu nsys`)

const bundleNext = "let run be a program of the workspace that build makes (a test binary, a script for sh), and name what else it opens in bundle = [\"…\"]"

// command takes what a command of the run needs.
func (n *needs) command(c config.Command) {
	if c.Shell != "" {
		n.text(c.Shell, true)
		return
	}
	n.named(c.Argv[0], true)
	for _, word := range commandWords(quoteArgv(c.Argv)) { // behind env, timeout, nohup
		n.named(word, true)
	}
	n.shell(behind(c.Argv), true)
	for _, word := range words(c.Argv) {
		n.word(word)
	}
}

// words are those behind a program that may be names of files: commands of ours are none,
// though there be a directory of that name.
func words(argv []string) []string {
	rest := argv[1:]
	if filepath.Base(argv[0]) != "gpuci" {
		return rest
	}
	if at := slices.IndexFunc(rest, func(w string) bool { return strings.HasPrefix(w, "-") }); at >= 0 {
		return rest[at:]
	}
	return nil
}

// named takes the program that a word names, where a command is expected. strict
// refuses what is not known to be everywhere.
func (n *needs) named(word string, strict bool) {
	base := filepath.Base(word)
	known := slices.Contains(everywhere, base) || slices.Contains(builtins, base)
	switch info, err := os.Stat(within(n.dir, word)); {
	case !strings.Contains(word, "/"):
		if slices.Contains(toolchains, word) || strict && !known {
			n.fail("its run needs "+word+", which a machine with a driver and nothing else may not have", bundleNext)
		}
	case n.inside(word) == "":
		if !known {
			n.fail("its run names "+word+", which is not in the workspace", bundleNext)
		}
	case err != nil || !info.Mode().IsRegular():
		if strict {
			n.missing("its run names "+word+", and there is no such file once it is built", "mend the path, or the build that is to make it")
		}
	default:
		n.program(word, started)
	}
}

// shells are what reads a file that is named to it as a script, whatever its first line
// says.
var shells = strings.Fields("sh bash dash ksh zsh")

// shell takes what a command needs that gives a shell text, behind -c or in a file.
func (n *needs) shell(argv []string, strict bool) {
	if len(argv) == 0 {
		return
	}
	if text := shellText(argv); text != "" {
		n.text(text, strict)
		return
	}
	base := filepath.Base(argv[0])
	if base != "." && base != "source" && !slices.Contains(shells, base) {
		return
	}
	for _, word := range argv[1:] {
		if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") {
			continue // of an option's own word a file is asked for in vain
		}
		if info, err := os.Stat(within(n.dir, word)); word != "" && err == nil && info.Mode().IsRegular() && n.inside(word) != "" {
			n.program(word, sourced)
			return
		}
	}
}

// behind are the words of a command from the program on: behind env, timeout, nohup and
// assignments.
func behind(argv []string) []string {
	at := slices.IndexFunc(argv, func(word string) bool { return !slices.Contains(leading, word) && !skipped.MatchString(word) })
	return argv[max(0, at):]
}

// text takes what a shell's text needs.
func (n *needs) text(text string, strict bool) {
	file := parseShell(text)
	var own []string // functions
	syntax.Walk(file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok {
			own = append(own, f.Name.Value)
		}
		return true
	})
	for _, word := range commandWords(text) {
		if !slices.Contains(own, word) {
			n.named(word, strict)
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			var argv []string
			for _, arg := range node.Args {
				argv = append(argv, literal(arg))
			}
			n.shell(behind(argv), strict)
		case *syntax.Word:
			n.word(literal(node))
		}
		return true
	})
}

// literal is a word that is written out, with or without quotes; "" for another.
func literal(w *syntax.Word) string {
	if text := w.Lit(); text != "" || len(w.Parts) != 1 {
		return text
	}
	switch part := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return part.Value
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				return lit.Value
			}
		}
	}
	return ""
}

// maxScript is the size of a script of which the text is looked at.
const maxScript = 1 << 20

// script takes what a script needs: what runs it, and what its text names.
func (n *needs) script(path string, as use) {
	f, err := os.Open(path)
	if err != nil {
		n.fail(err.Error(), "it must be readable")
		return
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, maxScript))
	start, _ := r.Peek(512)
	if as == sourced || !strings.HasPrefix(string(start), "#!") {
		named := slices.Contains([]string{".sh", ".bash"}, filepath.Ext(path))
		if (as > mentioned || named) && !slices.Contains(start, 0) { // a shell runs a text that has no such line
			text, _ := io.ReadAll(r)
			n.text(string(text), false)
		}
		return
	}
	line, _ := r.ReadString('\n')
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if len(words) > 1 && filepath.Base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") })
	}
	if len(words) == 0 {
		return
	}
	by := filepath.Base(words[0])
	if !slices.Contains(everywhere, by) && as == started {
		n.fail(n.inside(path)+" is a script for "+by+", which a machine with a driver and nothing else may not have", bundleNext)
		return
	}
	if slices.Contains(shells, by) {
		text, _ := io.ReadAll(r)
		n.text(string(text), false)
	}
}
