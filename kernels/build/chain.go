package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// chain is where the host compiler looks for headers, as it says itself.
type chain struct {
	quote   []string // for "x.h", behind the including file's directory
	angle   []string // for both
	ignored []string // directories that it was told of and did not take: not there, no directories, there before
	shape   string   // which of all these are directories, and which of those are the same; see look
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
		case strings.HasPrefix(line, `ignoring nonexistent directory "`), strings.HasPrefix(line, `ignoring duplicate directory "`):
			_, dir, _ := strings.Cut(line, `"`)
			c.ignore(strings.TrimSuffix(dir, `"`))
		case strings.HasPrefix(line, "COLLECT_GCC_OPTIONS="):
			c.options(words(strings.TrimPrefix(line, "COLLECT_GCC_OPTIONS=")))
		case strings.HasPrefix(line, ` "`) && strings.Contains(line, `"-cc1"`): // clang
			c.options(words(line))
		case strings.Contains(line, "gcc version ") || strings.Contains(line, "clang version "):
			c.host = strings.TrimSpace(line)
		}
	}
	return c, ok
}

// searches are the options by which the host compiler is told of a directory.
var searches = []string{"-I", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-internal-isystem", "-internal-externc-isystem", "-cxx-isystem"}

// options notes the directories in the host compiler's own options: of one that is a
// file it says nothing where warnings are off.
func (c *chain) options(all []string) {
	for i, w := range all {
		if slices.Contains(searches, w) && i+1 < len(all) {
			c.ignore(all[i+1])
		} else if dir, ok := strings.CutPrefix(w, "-I"); ok && dir != "" {
			c.ignore(dir)
		}
	}
}

// ignore notes a directory, each once.
func (c *chain) ignore(dir string) {
	if dir != "" && !slices.Contains(c.ignored, dir) {
		c.ignored = append(c.ignored, dir)
	}
}

// tell notes the directories that the environment names.
func (c chain) tell(env []string) chain {
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"} {
		for _, dir := range filepath.SplitList(variable(env, name)) {
			c.ignore(dir)
		}
	}
	return c
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
	line("ignored", c.ignored...)
	line("shape", c.shape)
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
		case "ignored":
			c.ignored = append(c.ignored, value)
		case "shape":
			c.shape = value
		case "host":
			c.host = value
		}
	}
	return c
}

// look says of each directory what decides whether the host compiler takes it, and
// where: "-" if it is none, or else the number of the first that is the same one.
func (c chain) look(absolute func(string) string) string {
	var b strings.Builder
	first := map[identity]int{}
	for i, dir := range append(c.dirs(), c.ignored...) {
		info, err := os.Stat(absolute(dir))
		if err != nil || !info.IsDir() {
			b.WriteString("- ")
			continue
		}
		s := stampOf(info)
		id := identity{s.Inode, s.Device}
		if _, ok := first[id]; !ok {
			first[id] = i
		}
		fmt.Fprintf(&b, "%d ", first[id])
	}
	return strings.TrimSpace(b.String())
}

// stands is whether the chain is still what the compiler would say: what was a
// directory is one, what was none is none, and the same are the same.
func (c chain) stands(absolute func(string) string) bool {
	return len(c.angle) > 0 && c.shape == c.look(absolute)
}

// within shortens the directories below the root, so that lanes agree.
func (c chain) within(root string) chain {
	for _, list := range [][]string{c.quote, c.angle, c.ignored} {
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
