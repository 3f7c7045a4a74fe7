package config

import (
	"fmt"
	"strconv"
)

// Dropped is a number of links that a file asks for and does not get, because
// only the machine's own file says how many there are.
type Dropped struct {
	Origin
	Links string // as it is written there
}

// String says so.
func (d Dropped) String() string {
	return fmt.Sprintf("%s:%d: links = %s is not taken: a workspace and a person can lower the machine's number (links in /etc/gpuci.toml), not raise it", plain(d.File), d.Line, plain(d.Links))
}

// Dropped lists what was asked for in vain, the strongest file last.
func (c *Config) Dropped() (out []Dropped) {
	for _, who := range []role{personal, workspace} {
		if s, ok := c.origins[dropped(who)]; ok {
			out = append(out, Dropped{s.Origin, s.text.data[s.span.from:s.span.to]})
		}
	}
	return out
}

// dropped is the key under which such a number is noted: no file can have it.
func dropped(who role) string { return fmt.Sprintf("links of a %s file, dropped", who) }

// noteDropped notes a number of links that is more than there are after the
// file was read.
func (l *layer) noteDropped(root *value) {
	e := root.get("links")
	if l.role == machine || e == nil || e.value.kind != isInteger {
		return
	}
	if n, err := strconv.ParseInt(e.value.text, 0, 64); err != nil || n <= int64(l.config.Links) {
		return
	}
	l.config.origins[dropped(l.role)] = setting{
		Origin: Origin{l.name, l.line(e.span.from)}, word: "links", text: l.text, span: e.value.span,
	}
}
