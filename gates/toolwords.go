package gates

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gpuci/gates/config"
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

// builtins are words of the shell's own that stand where a command does.
var builtins = strings.Fields(`. : [ alias bg break case cd continue declare done echo esac eval exit export false fg
	fi for function getopts hash in kill let local printf pwd read readonly return select set shift source test times
	trap true type ulimit umask unset wait`)

// before are words that a command may follow.
var before = strings.Fields("then do else elif if while until ! exec env nohup time timeout command builtin sudo")

var (
	commandWord = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./+-]*$`)
	assignment  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	duration    = regexp.MustCompile(`^(-.*|[0-9.]+[smhd]?)$`) // and an option
)

// commandWords are the words of a shell's text that stand where a command does.
// It reads no grammar: a word too many is a tool that is not used, whose change
// has a gate run again.
func commandWords(text string) (out []string) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";|&\n(){}`", r) }) {
		for _, word := range strings.Fields(part) {
			if slices.Contains(before, word) || assignment.MatchString(word) || duration.MatchString(word) {
				continue
			}
			if commandWord.MatchString(word) && !slices.Contains(builtins, word) && !slices.Contains(out, word) {
				out = append(out, word)
			}
			break
		}
	}
	return out
}
