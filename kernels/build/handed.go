package build

import (
	"fmt"
	"slices"
	"strings"
)

// unfollowed are options of the host compiler that have it read files which it names
// nowhere.
var unfollowed = []string{"-specs", "--specs", "-fplugin", "-wrapper", "-B", "-fprofile-use", "-fauto-profile", "-fmodules", "--config"}

// ofHost takes words of the host compiler, and those that it hands on.
func (t *orders) ofHost(all []string) error {
	t.host = append(t.host, all...)
	for _, w := range all {
		tool, list, _ := strings.Cut(w, ",")
		if v, ok := strings.CutPrefix(w, "--for-assembler="); ok {
			tool, list = "-Wa", v
		}
		if tool == "-Wa" || tool == "-Wp" {
			if err := t.ofHost(strings.FieldsFunc(list, func(r rune) bool { return r == ',' })); err != nil {
				return err
			}
		}
		if path, ok := strings.CutPrefix(w, "@"); ok {
			if err := t.each(path, t.ofHost); err != nil {
				return fmt.Errorf("read the options of %s: %w", w, err)
			}
		}
		if slices.ContainsFunc(unfollowed, func(o string) bool { return strings.HasPrefix(w, o) }) {
			t.stop("what " + w + " has the host compiler read is not known")
		}
	}
	return nil
}

// ofTools takes words of the tools behind nvcc.
func (t *orders) ofTools(all []string) error {
	t.tools = append(t.tools, all...)
	for _, w := range all {
		if strings.HasPrefix(w, "@") {
			t.stop("what " + w + " is, was not read")
		}
	}
	return nil
}

// ofClang takes what clang's variable adds to its options: each word has a sign before
// it that says how.
func (t *orders) ofClang(all []string) error {
	for i := range all {
		all[i] = strings.TrimLeft(all[i], "#^+xXsO/")
	}
	return t.ofHost(all)
}

// parted are the words of a value that nvcc hands on: parted by commas, but those behind
// a backslash, and then by the shell.
func (t *orders) parted(v string) []string {
	const comma = "\x00" // which no option has
	var all []string
	for part := range strings.SplitSeq(strings.ReplaceAll(v, `\,`, comma), ",") {
		all = append(all, t.handed(strings.ReplaceAll(part, comma, ","))...)
	}
	return all
}

// handed are the words of a text that nvcc hands to a shell as it is, in which a > writes
// a file, and a ; ends the command.
func (t *orders) handed(text string) []string {
	all, bare := bareWords(text)
	if bare && t.shell == "" {
		t.shell = text + ": a shell takes a sign in it for its own, and may write files: put it in quotes"
	}
	return all
}

// ofPtxas takes words of ptxas, each by itself: -Xptxas may give an option and its value
// apart.
func (t *orders) ofPtxas(all []string) error {
	t.ptxas = append(t.ptxas, all...)
	return t.splitPtxas()
}

// splitPtxas reads the files of options among the words of ptxas.
func (t *orders) splitPtxas() error {
	for i := 0; i < len(t.ptxas); i++ { // reading one adds words
		name, v, _ := value(t.ptxas, i)
		if name != "-optf" && name != "--options-file" || v == "" {
			continue
		}
		err := t.each(v, func(all []string) error { t.ptxas = append(t.ptxas, all...); return nil })
		if err != nil {
			return fmt.Errorf("read the options of ptxas in %s: %w", v, err)
		}
	}
	return nil
}
