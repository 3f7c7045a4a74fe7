package propose

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gate is a gate that Look proposes.
type Gate struct {
	Name, About string
	Dir         string // where its commands run, relative to the root, with slashes
	Build, Run  [][]string
	Reader      string
	Profile     string            // "" where the tool has none
	Env         map[string]string // what must be in the environment
	Remarks     []string          // lines of a comment above it: what it leaves out, what it needs

	wish  []string // names, the best first
	makes []string // what its commands make, relative to the root; a directory ends in a slash
}

// add takes a gate up. One whose words no file could hold is left.
func (s *survey) add(g Gate) {
	if len(s.gates) >= maxGates {
		s.leave("more than "+strconv.Itoa(maxGates)+" gates", "%s and those behind it were left out: add what you need by hand", g.wish[0])
		return
	}
	for _, word := range g.words() {
		if !utf8.ValidString(word) || strings.Contains(word, "\x00") {
			s.leave(word, "a file in UTF-8 cannot say this name")
			return
		}
	}
	s.gates = append(s.gates, &g)
	s.kinds[g.Dir] = true
}

// maxGates is more than anybody runs by name; twenty projects of a gate or two.
const maxGates = 60

func (g *Gate) words() []string {
	all := []string{g.About, g.Dir}
	for _, argv := range append(append([][]string{}, g.Build...), g.Run...) {
		all = append(all, argv...)
	}
	return all
}

// nameGates gives every gate the first name it wishes for that nobody has.
func (s *survey) nameGates() {
	taken := make(map[string]bool)
	for _, g := range s.gates {
		g.Name = free(taken, g.wish)
		taken[g.Name] = true
	}
}

func free(taken map[string]bool, wish []string) string {
	for _, w := range wish {
		if name := kebab(w); name != "" && !taken[name] {
			return name
		}
	}
	last := kebab(wish[len(wish)-1])
	if last == "" {
		last = "tests"
	}
	for n := 2; ; n++ {
		if name := fmt.Sprintf("%s-%d", last, n); !taken[name] {
			return name
		}
	}
}

// maxWord keeps a name on one line of a list.
const maxWord = 60

// kebab makes a name of a gate out of what a tool calls a thing.
func kebab(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxWord {
			break
		}
	}
	return strings.Trim(b.String(), "-.")
}

// near puts a directory's name in front of a gate's, unless that is the root's.
func near(dir, name string) []string {
	if dir == "." {
		return []string{name}
	}
	return []string{path.Base(dir) + "-" + name, dir + "-" + name}
}

// printable makes a text that a line of a comment can hold: what TOML forbids
// there is written as Go would.
func printable(s string) string {
	plain := utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
	if plain {
		return s
	}
	return strings.Trim(strconv.Quote(s), `"`)
}

// where says a directory in the words of a sentence.
func where(dir string) string {
	if dir == "." {
		return "here"
	}
	return "in " + printable(dir)
}
