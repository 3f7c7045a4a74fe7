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

// compare says which lines of a unit's text are gone and which are new.
func compare(was, is string) string {
	before, after := strings.Split(was, "\n"), strings.Split(is, "\n")
	gone, added := less(before, after), less(after, before)
	var said []string
	for _, kind := range []struct{ word, name string }{
		{"unit ", "gpuci's own format"}, {"compiler ", "the compiler's version"}, {"tool ", "the compiler's file"},
		{"host ", "the host compiler"}, {"host-version ", "the host compiler's version"}, {"variable ", "the environment"},
		{"options ", "a file of options"}, {"root ", "the directory"}, {"argument ", "the option"}, {"search ", "the include path"},
	} {
		was, is := behind(gone, kind.word), behind(added, kind.word)
		switch {
		case was != "" && is != "":
			said = append(said, fmt.Sprintf("%s changed: %s, was %s", kind.name, is, was))
		case is != "":
			said = append(said, fmt.Sprintf("%s is new: %s", kind.name, is))
		case was != "":
			said = append(said, fmt.Sprintf("%s is gone: %s", kind.name, was))
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

// behind joins what stands behind the word in the lines that begin with it.
func behind(lines []string, word string) string {
	var all []string
	for _, line := range lines {
		if after, ok := strings.CutPrefix(line, word); ok {
			all = append(all, after)
		}
	}
	return strings.Join(all, " ")
}
