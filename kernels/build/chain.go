package build

import (
	"os"
	"slices"
	"strings"
)

// chain is where the host compiler looks for headers, as it says itself.
type chain struct {
	quote   []string // for "x.h", behind the including file's directory
	angle   []string // for both
	missing []string // directories that it was told of and that are not there
	host    string   // "gcc version 12.2.0 (…)"
}

// dirs are those of the search, in its order.
func (c chain) dirs() []string { return append(append([]string(nil), c.quote...), c.angle...) }

// parseChain reads what GCC or clang prints with -v. ok is false of a text with no
// list in it.
func parseChain(said string) (c chain, ok bool) {
	var list *[]string
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, `#include "..." search starts here:`):
			list = &c.quote
		case strings.HasPrefix(line, "#include <...> search starts here:"):
			list, ok = &c.angle, true
		case strings.HasPrefix(line, "End of search list."):
			list = nil
		case list != nil && strings.HasPrefix(line, " "):
			*list = append(*list, strings.TrimSuffix(line[1:], " (framework directory)"))
		case strings.HasPrefix(line, `ignoring nonexistent directory "`):
			dir, _, _ := strings.Cut(strings.TrimPrefix(line, `ignoring nonexistent directory "`), `"`)
			c.missing = append(c.missing, dir)
		case strings.Contains(line, "gcc version ") || strings.Contains(line, "clang version "):
			c.host = strings.TrimSpace(line)
		}
	}
	return c, ok
}

// encode and decodeChain turn a chain to text and back, a line for each thing.
func (c chain) encode() string {
	var b strings.Builder
	line := func(word string, all ...string) {
		for _, v := range all {
			b.WriteString(word + " " + v + "\n")
		}
	}
	line("quote", c.quote...)
	line("angle", c.angle...)
	line("missing", c.missing...)
	line("host", c.host)
	return b.String()
}

func decodeChain(text string) chain {
	var c chain
	for line := range strings.Lines(text) {
		word, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "quote":
			c.quote = append(c.quote, value)
		case "angle":
			c.angle = append(c.angle, value)
		case "missing":
			c.missing = append(c.missing, value)
		case "host":
			c.host = value
		}
	}
	return c
}

// stands is whether the chain is still what the compiler would say: no directory
// that was missing is there now, and none is gone.
func (c chain) stands(absolute func(string) string) bool {
	there := func(dir string) bool {
		info, err := os.Stat(absolute(dir))
		return err == nil && info.IsDir()
	}
	return !slices.ContainsFunc(c.missing, there) && !slices.ContainsFunc(c.dirs(), func(dir string) bool { return !there(dir) })
}

// within shortens the directories below the root, so that lanes agree.
func (c chain) within(root string) chain {
	for _, list := range [][]string{c.quote, c.angle, c.missing} {
		for i := range list {
			list[i] = within(root, list[i])
		}
	}
	return c
}

// within is the path below the root, if it is there, or as it was. The path is not
// cleaned: a link before a .. leads elsewhere.
func within(root, path string) string {
	if path == root {
		return "."
	}
	return strings.TrimPrefix(path, root+"/")
}
