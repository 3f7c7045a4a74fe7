package config

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CI is what holds for nights and landings.
type CI struct {
	Until    string   // clock of local time, "07:00", at which a night ends; "" for none
	Scratch  string   // directory of scratch lanes, absolute; "" leaves it to the usual place
	Lanes    []string // patterns of path.Match on the names of lanes: a night takes those
	Required []string // gates that a landing must pass; none means all that are not known red
}

// everyLane is the default of lanes.
const everyLane = "*"

// ci reads [ci]. It comes after the gates, which it names.
func (l *layer) ci(f *fields) {
	t := f.sub("ci", "[ci] above its lines")
	if t == nil {
		return
	}
	ci := &l.config.CI
	t.clock("until", &ci.Until)
	if t.only("scratch", l.role != workspace, "the machine's or your own file: it names a directory of this machine") {
		t.scratch(&ci.Scratch)
	}
	t.lanes(&ci.Lanes)
	if t.only("required", l.role == workspace, "the workspace's "+FileName+": the gates are the workspace's") {
		t.required(&ci.Required)
	}
	t.done()
}

// clock reads a time of day.
func (f *fields) clock(key string, into *string) {
	const example = `until = "07:00"`
	e := f.take(key)
	switch {
	case e == nil:
	case e.value.kind != isString:
		f.wrong(e, "a time of day in quotes", example)
	default:
		if _, err := ParseClock(e.value.text); err != nil {
			f.bad(e, "write "+example, "%s", err)
			return
		}
		f.note(e)
		*into = e.value.text
	}
}

// ParseClock reads a time of day, "07:00", as the time since midnight on a day
// of 24 hours.
func ParseClock(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("is no time of day: %s", quoted(s))
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

func (f *fields) scratch(into *string) {
	const example = `"/var/tmp/gpuci-scratch"`
	var dir string
	switch e := f.text("scratch", example, &dir); {
	case e == nil:
	case !filepath.IsAbs(dir):
		f.bad(e, "write scratch = "+example, "must be an absolute path, not %s", quoted(dir))
	default:
		*into = filepath.Clean(dir)
	}
}

// lanes reads patterns of names.
func (f *fields) lanes(into *[]string) {
	const example = `["*"]`
	e, items := f.texts("lanes", example)
	if e == nil {
		return
	}
	if len(items) == 0 {
		f.bad(e, "write lanes = "+example+", or leave the line out", "names no lane")
		return
	}
	var all []string
	for _, item := range items {
		if _, err := path.Match(item.text, ""); err != nil || strings.Contains(item.text, "\x00") {
			f.add(item.span, `write names of lanes, with * and ? for any letters`, "%q in %s is no pattern: %s", e.key, f.label, quoted(item.text))
			continue
		}
		all = append(all, item.text)
	}
	*into = all
}

// required reads names of gates.
func (f *fields) required(into *[]string) {
	e, items := f.texts("required", `["unit"]`)
	if e != nil && len(items) == 0 {
		f.bad(e, `write required = ["unit"], or leave the line out`, "names no gate")
		return
	}
	*into = f.gateNames(e, items)
}

// gateNames are the names of gates there are; each counts once.
func (f *fields) gateNames(e *entry, items []*value) (names []string) {
	known := make(map[string]bool) // whether it is not among names yet
	for _, g := range f.config.Gates {
		known[g.Name] = true
	}
	for _, item := range items {
		left, ok := known[item.text]
		if !ok && !f.full() {
			f.add(item.span, f.nearGate(item.text), "%q in %s names no gate: %s", e.key, f.label, quoted(item.text))
		}
		if left {
			names = append(names, item.text)
			known[item.text] = false
		}
	}
	return names
}

func (f *fields) nearGate(name string) string {
	var names []string
	for _, g := range f.config.Gates {
		names = append(names, g.Name)
	}
	return meant(name, names, "name a [[gate]] of this file")
}

// Required are the gates that a landing needs green: those of [ci] required, else all
// that are not known red. The list is the caller's own.
func (c *Config) Required() (names []string) {
	if len(c.CI.Required) > 0 {
		return slices.Clone(c.CI.Required)
	}
	for _, g := range c.Gates {
		if g.Expect != "red" {
			names = append(names, g.Name)
		}
	}
	return names
}
