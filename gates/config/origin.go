package config

import (
	"maps"
	"slices"
	"strings"
)

// Origin is the line that gave a value.
type Origin struct {
	File string // as in Problem
	Line int    // from 1
}

// Later lists the keys that are read and checked, but that nothing acts on in
// this version; a table stands for everything in it. This is the one place to
// shorten when the sweep, the pressure, the link queue and the card join.
func Later() []string {
	return nil
}

// Origin returns where the value of a key was set, and false where it is a
// default. Keys are written as in the file, a gate by its name, a bar or a
// metric by its metric, a fault by its name, a witness by its number from 1:
// "build.wait", "gate.NAME.timeout", "gate.NAME.bar.METRIC.max".
func (c *Config) Origin(key string) (Origin, bool) {
	s, ok := c.origins[key]
	return s.Origin, ok
}

// Pending returns the keys, as Origin takes them, that a file sets and that
// are in the Later list, so that a command can say they have no effect yet.
func (c *Config) Pending() []string {
	keys := slices.Sorted(maps.Keys(c.origins))
	return slices.DeleteFunc(keys, func(key string) bool {
		return !isLater(c.origins[key].word)
	})
}

// setting is a value that a file gave.
type setting struct {
	Origin
	word string // as in place
	text *text
	span span // of the value
}

// place is where a value stands: once in words of the format ("gate.bar"),
// once with the names in it ("gate.fused-adjoint.bar.worst-rel"). Names may
// hold dots, so that the first cannot be read off the second.
type place struct{ word, key string }

// in returns the place of a key in the table at p.
func (p place) in(key string) place {
	return place{dotted(p.word, key), dotted(p.key, key)}
}

// named returns the place of one of several tables called word.
func (p place) named(word, name string) place {
	return place{dotted(p.word, word), dotted(p.key, word+"."+name)}
}

func dotted(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

func isLater(word string) bool {
	return slices.ContainsFunc(Later(), func(l string) bool {
		return word == l || strings.HasPrefix(word, l+".")
	})
}
