package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// judging are the commands of gpuci whose status says whether something holds.
var judging = regexp.MustCompile(`gpuci["']? +(?:gate|ci|falsify|fixtures +verify|night)\b`)

// gatesIn are the gates that a step runs, by itself or by scripts of this text.
func gatesIn(text, scripts string, list []config.Gate) (names []string) {
	text += "\n" + scripts
	if !judging.MatchString(text) {
		return nil
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"';&|()", r) })
	all := slices.Contains(words, "--all") || strings.Contains(text, "gpuci ci")
	for _, g := range list {
		if all || slices.Contains(words, g.Name) {
			names = append(names, g.Name)
		}
	}
	if len(names) == 0 && !strings.Contains(text, "gpuci gate") { // falsify without a name is for all
		for _, g := range list {
			names = append(names, g.Name)
		}
	}
	return names
}

// scriptsIn are the scripts of the workspace that a text names and that run gates, and
// what is in them.
func scriptsIn(root, text string) (names []string, inside string) {
	names = []string{}
	l := &look{root: root, report: &Report{}}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;&|()<>$", r) }) {
		if !strings.Contains(word, "/") && !strings.HasSuffix(word, ".sh") || slices.Contains(names, word) {
			continue
		}
		if info, err := os.Stat(filepath.Join(root, word)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if _, script, ok := l.open(word); ok && judging.MatchString(script) {
			names = append(names, word)
			inside += script + "\n"
		}
	}
	return names, inside
}

// isOnly says whether a command is one that is asked about: gpuci where it judges, however
// it is started, or a script that has it do so.
func (s *shell) isOnly(words []string) bool {
	if words = unwrap(words); len(words) == 0 {
		return false
	}
	if isShell(words[0]) {
		_, _, rest := shellOptions(words[1:])
		words = words[len(words)-max(rest, 1):]
	}
	if slices.Contains(s.only, words[0]) {
		return true
	}
	name, rest := base(words[0]), words[1:]
	if name == "go" && len(rest) > 1 && rest[0] == "run" {
		for rest = rest[1:]; len(rest) > 1 && strings.HasPrefix(rest[0], "-"); rest = rest[1:] {
		}
		name, rest = base(rest[0]), rest[1:]
	}
	return name == "gpuci" && judging.MatchString("gpuci "+strings.Join(rest, " "))
}
