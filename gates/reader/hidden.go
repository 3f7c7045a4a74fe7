package reader

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Hidden is a harness that does not show what passing tests print, so that no
// number of theirs can be read.
type Hidden struct {
	Tool  string   // "cargo test"
	Flags []string // what has it show that, for the end of its command line
	// Called says that the command line calls it; else it is only what the reader is
	// made for, behind a script or a make.
	Called bool
}

// harness is one that hides what passing tests print.
type harness struct {
	tool, reader string
	flags        []string
	shows        *regexp.Regexp // a word that has it show that already
}

// cargo nextest hides it, too, and is counted by files.
func harnesses() []harness {
	return []harness{
		{"cargo test", "libtest", []string{"--", "--nocapture"}, regexp.MustCompile(`^--(?:nocapture|no-capture|show-output)$|^RUST_TEST_NOCAPTURE=`)},
		{"cargo nextest", "", []string{"--no-capture"}, regexp.MustCompile(`^--(?:nocapture|no-capture)$|^--success-output|^NEXTEST_(?:SUCCESS_OUTPUT|NO_CAPTURE)=`)},
		{"go test", "gotest", []string{"-v"}, regexp.MustCompile(`^--?(?:test\.)?(?:v|json)(?:=true)?$`)},
		{"pytest", "pytest", []string{"-rP"}, regexp.MustCompile(`^(?:PYTEST_ADDOPTS=(?:.*\s)?)?(?:-[a-qt-z]*s\b|-[a-z]*r[a-zA-Z]*[AP]|--capture)`)},
		{"ctest", "ctest", []string{"-V"}, regexp.MustCompile(`^-V+$|^--(?:extra-)?verbose$`)},
	}
}

// Hides says what keeps the output of passing tests from a gate that runs argv with
// the reader of that name, after Argv; ok is false where nothing does, or nobody
// knows. A string for a shell is read word by word. env is its
// environment, NAME=VALUE.
func Hides(name string, argv, env []string) (h Hidden, ok bool) {
	var words []string
	for _, arg := range Argv(name, argv) {
		for word := range strings.FieldsSeq(arg) {
			words = append(words, strings.Trim(word, `"'();&|`))
		}
	}
	tool := called(words)
	for _, x := range harnesses() {
		if tool != x.tool && (tool != "" || x.reader == "" || x.reader != name) {
			continue
		}
		if slices.ContainsFunc(words, x.shows.MatchString) || slices.ContainsFunc(env, x.shows.MatchString) {
			return h, false
		}
		h = Hidden{Tool: x.tool, Flags: x.flags, Called: tool != ""}
		if x.flags[0] == "--" && h.Called && slices.Contains(words, "--") {
			h.Flags = x.flags[1:]
		}
		return h, true
	}
	return h, false
}

// called is the harness that some words call, "" for none that is known.
func called(words []string) string {
	for i, w := range words {
		rest := slices.DeleteFunc(slices.Clone(words[i+1:]), func(w string) bool { return strings.HasPrefix(w, "+") || strings.HasPrefix(w, "-") })
		sub := ""
		if len(rest) > 0 {
			sub = rest[0]
		}
		switch base := filepath.Base(w); {
		case base == "cargo" && (sub == "test" || sub == "t"):
			return "cargo test"
		case base == "cargo" && sub == "nextest":
			return "cargo nextest"
		case base == "go" && sub == "test":
			return "go test"
		case base == "pytest", base == "py.test":
			return "pytest"
		case base == "ctest":
			return base
		}
	}
	return ""
}

// Text says what to do about it.
func (h Hidden) Text() string {
	flags := strings.Join(h.Flags, " ")
	if !h.Called {
		return h.Tool + " shows what passing tests print only with " + flags + ": have run give it that"
	}
	return h.Tool + " does not show what passing tests print: add " + flags + " to it in run"
}
