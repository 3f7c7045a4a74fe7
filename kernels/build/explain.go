package build

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/cache"
)

// last is the key of what a unit depended on when it was made here the last time.
func (b *builder) last(source string, kind Kind, arch string) cache.Key {
	return b.lane(fmt.Sprintf("last %q %s %s", source, kind, arch))
}

// remember notes what the unit depended on, for the next build to say what of it
// changed.
func (b *builder) remember(done Unit) {
	if b.cache == nil {
		return
	}
	key := b.last(done.Source, done.Kind, done.Arch)
	text := b.text(unit{source: done.Source, kind: done.Kind, archs: strings.Split(done.Arch, "+")})
	if was, err := b.cache.Record(key); err == nil && string(was) == text {
		return
	}
	if err := b.cache.Keep(key, []byte(text)); err != nil {
		b.note("%v", err)
	}
}

// differs says what, besides files, is not as it was when the unit was made here
// the last time.
func (b *builder) differs(u unit, text string) string {
	was, err := b.cache.Record(b.last(u.source, u.kind, u.arch()))
	switch {
	case err != nil:
		return "it was never compiled here"
	case string(was) == text:
		return "what was made of it was not kept"
	}
	return compare(string(was), text)
}

// differences are the kinds of lines in a unit's text, and what they are called. A sum
// is not shown: it says nothing to anybody.
var differences = []struct {
	word, name string
	summed     bool
}{
	{"unit ", "gpuci's own format", false}, {"compiler ", "the compiler's version", false}, {"tool ", "the compiler's file", true},
	{"variable ", "the environment", false}, {"plan ", "what nvcc runs, by its profile or the environment,", true},
	{"host ", "the host compiler", true}, {"host-version ", "the host compiler's version", false},
	{"options ", "a file of options", false}, {"root ", "the directory", false}, {"argument ", "the option", false},
	{"compiler-argument ", "an include directory of the compiler's", false}, {"search ", "the include path", false},
}

// follows are the kinds of lines that change with another.
var follows = map[string][]string{
	"compiler ": {"tool ", "plan ", "compiler-argument ", "search "},
	"tool ":     {"plan "}, "variable ": {"plan "}, "host-version ": {"host ", "plan ", "search "}, "host ": {"plan "},
}

// compare says which lines of a unit's text are gone and which are new.
func compare(was, is string) string {
	before, after := strings.Split(was, "\n"), strings.Split(is, "\n")
	gone, added := less(before, after), less(after, before)
	var said, quiet []string
	for _, d := range differences {
		if len(behind(gone, d.word, false))+len(behind(added, d.word, false)) > 0 {
			quiet = append(quiet, follows[d.word]...)
		}
	}
	for _, d := range differences {
		was, is := behind(gone, d.word, d.summed), behind(added, d.word, d.summed)
		changed := len(behind(gone, d.word, false))+len(behind(added, d.word, false)) > 0
		switch {
		case !changed || slices.Contains(quiet, d.word):
		case d.summed && was == is:
			said = append(said, strings.TrimSpace(d.name+" "+is)+" changed")
		case was != "" && is != "":
			said = append(said, fmt.Sprintf("%s changed: %s, was %s", d.name, is, was))
		case is != "":
			said = append(said, fmt.Sprintf("%s is new: %s", d.name, is))
		case was != "":
			said = append(said, fmt.Sprintf("%s is gone: %s", d.name, was))
		}
	}
	if len(said) == 0 {
		return "options or directories stand in another order"
	}
	return strings.Join(said, "; ")
}

// less is what of a is not in b.
func less(a, b []string) []string {
	var left []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			left = append(left, line)
		}
	}
	return left
}

// behind joins what stands behind the word in the lines that begin with it, without the
// sum at the end of those that have one.
func behind(lines []string, word string, summed bool) string {
	var all []string
	for _, line := range lines {
		after, ok := strings.CutPrefix(line, word)
		if !ok {
			continue
		}
		if summed {
			after = after[:max(strings.LastIndexByte(after, ' '), 0)]
		}
		all = append(all, after)
	}
	return strings.Join(all, " ")
}
