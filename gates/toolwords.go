package gates

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gpuci/gates/config"

	"mvdan.cc/sh/v3/syntax"
)

// toolNames lists the programs that the commands name: the first word of an argv,
// and of a shell's text every word that stands where a command does or is a known
// tool. A path that counts from the lane is left out, for it is of the lane or
// built in it.
func toolNames(commands []config.Command) (out []string) {
	add := func(name string) {
		if strings.Contains(name, "/") && !filepath.IsAbs(name) {
			return
		}
		for _, n := range append([]string{name}, implied[name]...) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, c := range commands {
		text := c.Shell
		if text == "" {
			add(c.Argv[0])
			text = shellText(c.Argv)
		} else {
			add("bash")
		}
		for _, word := range strings.FieldsFunc(text, shellBreak) {
			if _, known := versionOf[word]; known {
				add(word)
			}
		}
		for _, word := range commandWords(text) {
			add(word)
		}
	}
	return out
}

func shellBreak(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(";|&()`$\"'<>", r)
}

// shellText is the text of `sh -c TEXT`, "" for another argv.
func shellText(argv []string) string {
	if !slices.Contains([]string{"sh", "bash", "dash", "ksh", "zsh"}, filepath.Base(argv[0])) {
		return ""
	}
	for i, word := range argv[1:] {
		if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c") && i+2 < len(argv) {
			return argv[i+2]
		}
	}
	return ""
}

// builtins are the shell's own, also of programs that there are under the same name.
var builtins = strings.Fields(`. : [ alias bg break cd continue echo eval exit false fg getopts hash kill printf pwd read
	return set shift source test times trap true type ulimit umask unset wait`)

// leading are words behind which a command follows, after options, a duration and
// assignments.
var leading = strings.Fields("exec env nohup timeout command builtin sudo")

var skipped = regexp.MustCompile(`^(-.*|[0-9.]+[smhd]?|[A-Za-z_][A-Za-z0-9_]*=.*)$`)

// commandWords are the words of a shell's text that stand where a command does, as
// far as they are written out. A word too many is a tool that is not used, whose
// change has a gate run again.
func commandWords(text string) (out []string) {
	syntax.Walk(parseShell(text), func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			if word := commandOf(call); word != "" && !slices.Contains(builtins, word) && !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
		return true
	})
	return out
}

// commandOf is the program that a command names, "" where that is not written out.
func commandOf(call *syntax.CallExpr) string {
	for _, arg := range call.Args {
		word := arg.Lit()
		if !slices.Contains(leading, word) && !skipped.MatchString(word) {
			return word
		}
	}
	return ""
}
