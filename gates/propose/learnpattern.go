package propose

import (
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/metric"
)

const (
	// valueGroup takes every number that a program prints, and more, so that a
	// digit too many is no number rather than another one.
	valueGroup = `(?P<value>[-+0-9.eE]+)`
	// strictGroup is for a number with a point right behind it.
	strictGroup = `(?P<value>[-+]?[0-9.]*[0-9](?:[eE][-+]?[0-9]+)?)`
	// someNumber stands for a number beside the one that is read; a NaN there
	// must not hide the line.
	someNumber = `[-+.\w]+`
)

// builder writes patterns over one shape.
type builder struct {
	shape    *shape
	readings []reading
	group    func(at int) string // what stands for the number at a token; "" leaves it to the builder
	reserved []string            // groups that it stands for
	names    []string            // groups so far
}

// build writes a pattern over the tokens from from up to to.
func (b *builder) build(from, to int, anchored bool) string {
	b.names = slices.Clone(b.reserved)
	var p strings.Builder
	switch first := b.shape.tokens[from]; {
	case anchored:
		p.WriteString(`^\s*`)
	case first.kind == word:
		p.WriteString(`\b`)
	}
	for i := from; i < to; i++ {
		if i == from && anchored && b.shape.tokens[i].kind == blank {
			continue
		}
		p.WriteString(b.token(i))
	}
	return p.String()
}

// benchmarkName is a benchmark of Go, which ends in the number of processors.
var benchmarkName = regexp.MustCompile(`^(Benchmark\S*?)-\d+$`)

func (b *builder) token(i int) string {
	t := b.shape.tokens[i]
	switch {
	case t.kind == number:
		return b.number(i)
	case t.kind == blank:
		return b.blank(i)
	case b.shape.isLabel(i):
		return b.label(i)
	}
	if m := benchmarkName.FindStringSubmatch(t.text); m != nil {
		return regexp.QuoteMeta(m[1]) + `(?:-\d+)?`
	}
	return regexp.QuoteMeta(t.text)
}

func (b *builder) number(i int) string {
	if g := b.group(i); g != "" {
		return g
	}
	n := slices.IndexFunc(b.readings, func(r reading) bool { return r.num().at == i })
	r := b.readings[n]
	if name := strings.ReplaceAll(r.name, "-", "_"); r.class == axisLike && r.num().whole && b.take(name) {
		return `(?P<` + name + `>\d+)`
	}
	return someNumber
}

// take gives a name to a group that nobody has.
func (b *builder) take(name string) bool {
	if !isGroup(name) || name == "value" || slices.Contains(b.names, name) {
		return false
	}
	b.names = append(b.names, name)
	return true
}

// blank is what stands between two tokens. Numbers are padded by some programs,
// to one more blank as they get shorter.
func (b *builder) blank(i int) string {
	t := b.shape.tokens
	beside := func(j int) bool { return j >= 0 && j < len(t) && t[j].kind == number }
	switch {
	case strings.Contains(t[i].text, "\t"):
		return `\s+`
	case len(t[i].text) > 1 || beside(i-1) || beside(i+1):
		return ` +`
	}
	return " "
}

func (b *builder) label(i int) string {
	l := b.shape.labels[slices.IndexFunc(b.shape.labels, func(l label) bool { return l.at == i })]
	text := `\w+`
	if slices.ContainsFunc(l.values, func(v string) bool { return strings.ContainsAny(v, "-.") }) {
		text = `[\w.-]+`
	}
	if b.take(l.name) {
		return `(?P<` + l.name + `>` + text + `)`
	}
	return text
}

// reach are the tokens around a number, or several, that a pattern must have:
// its name, its unit, and the labels near by.
func (b *builder) reach(from, to int) (int, int) {
	const near = 12 // tokens: half a dozen words
	mark := func(at, begin int) {
		if begin < from && from-begin <= near {
			from = begin
		}
		if at >= to && at-to < near {
			to = at + 1
		}
	}
	for _, l := range b.shape.labels {
		mark(l.at, max(l.at-2, 0))
	}
	for _, r := range b.readings {
		if r.class == axisLike && r.name != "" {
			mark(r.num().at, r.from)
		}
	}
	return from, to
}

// patterns are those to try, the shortest first.
func (b *builder) patterns(from, to int) []string {
	from, to = b.reach(from, to)
	last := len(b.shape.tokens)
	return []string{b.build(from, to, false), b.build(0, to, false), b.build(0, to, true), b.build(0, last, true) + `\s*$`}
}

// numberPattern finds a pattern that reads a number out of its own lines, each
// once and whole, and out of no other line.
func (o *output) numberPattern(r reading, all []reading, unit string) string {
	for _, value := range []string{valueGroup, strictGroup} {
		b := &builder{shape: r.shape, readings: all, group: func(at int) string {
			if at == r.num().at {
				return value
			}
			return ""
		}}
		for _, p := range b.patterns(r.from, r.to) {
			if o.reads(p, r, unit) {
				return p
			}
		}
	}
	return ""
}

// reads tries a pattern as the gate would.
func (o *output) reads(pattern string, r reading, unit string) bool {
	var got []string
	c, err := metric.New([]metric.Spec{{Metric: r.name, Pattern: pattern, Unit: unit}}, func(s metric.Sample) { got = append(got, s.Text) })
	if err != nil {
		return false
	}
	for _, line := range r.shape.lines {
		got = got[:0]
		c.Line([]byte(line))
		if len(got) != 1 || got[0] != cut(line)[r.num().at].text {
			return false
		}
	}
	got = got[:0]
	for _, s := range o.shapes.list {
		if s != r.shape {
			c.Line([]byte(s.lines[0]))
		}
	}
	return len(got) == 0 && c.Found(r.name).Faulty == 0
}
