package lint

import (
	"fmt"
	"slices"
	"strings"
)

// manyBinaries is how many test binaries make linking all of them a cost that people
// notice: each takes seconds, and they go one at a time.
const manyBinaries = 4

// lintWords finds what a command's own words give away.
func (u *unit) lintWords(words []string) {
	if len(words) < 2 {
		return
	}
	own := words
	if i := slices.Index(words, "--"); i >= 0 {
		own = words[:i]
	}
	name := base(words[0])
	switch {
	case name == "cargo" && slices.ContainsFunc(own, func(w string) bool { return w == "test" || w == "t" || w == "nextest" }):
		if slices.Contains(own, "--no-run") && !u.build && u.own != nil {
			u.word(Finding{Kind: NoRun, Certain: true}, "--no-run", words)
		}
		for _, w := range []string{"--tests", "--all-targets"} {
			if !slices.Contains(own, w) {
				continue
			}
			if n := u.testBinaries(words); n > manyBinaries {
				_, instead := advice(LinksAll)
				u.word(Finding{Kind: LinksAll, Instead: instead, Why: fmt.Sprintf("all %d test binaries of the crate are linked for it, one after the other", n)}, w, words)
			}
		}
	case name == "make" || name == "gmake":
		for _, w := range own[1:] {
			if w == "--ignore-errors" || ignores(w) {
				u.word(Finding{Kind: MakeIgnore, Certain: true}, w, words)
			}
		}
	}
}

// ignores says whether a word has make's -i in it.
func ignores(w string) bool {
	return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "i") && strings.Trim(w, "-biknqrsStwBdeLp") == ""
}

// word reports a word of a command.
func (u *unit) word(is Finding, w string, words []string) {
	f := u.finding(is.Kind, max(strings.Index(u.text, w), 0))
	if u.own != nil && u.own.arg != -1 || u.own != nil && !strings.Contains(f.Text, w) { // an array
		f.Line, f.Text = u.lineOf(w)
		f.acceptAt(u.whole, f.Line)
		f.Text = clip(strings.TrimSpace(f.Text))
	}
	f.Command, f.Certain, f.Why, f.Instead = shown(words), is.Certain, is.Why, is.Instead
	u.report.add(f)
}

// lineOf is the line of a word of an array, from the key on.
func (u *unit) lineOf(w string) (int, string) {
	lines := strings.Split(u.whole, "\n")
	for i := max(u.line, 1) - 1; i < len(lines); i++ {
		if strings.Contains(lines[i], w) {
			return i + 1, lines[i]
		}
	}
	return max(u.line, 1), strings.Join(u.gate.Run[0].Argv, " ")
}
