package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// builder makes a tree of values out of the expressions of a document. The
// parser knows the syntax of each expression; which keys and tables may
// follow which others is decided here (https://toml.io/en/v1.1.0#table), so
// that every repetition is found at once and can name the line of the first.
type builder struct {
	*report
	root *value
	here *value // the table that the lines below the last header go into
}

// document parses a file. It returns nil where the syntax is so wrong that
// nothing can be said about the rest.
func document(r *report) *value {
	if !r.check() {
		return nil
	}
	b := &builder{report: r, root: newTable(byHeader, span{})}
	b.here = b.root
	data := []byte(r.data)
	var p unstable.Parser
	p.Reset(data[:len(data):len(data)]) // the parser tells offsets by capacity
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table:
			b.here = b.header(keyParts(n.Key()), false)
		case unstable.ArrayTable:
			b.here = b.header(keyParts(n.Key()), true)
		case unstable.KeyValue:
			b.keyValue(b.here, n)
		}
	}
	if err := p.Error(); err != nil {
		b.syntax(&p, err)
		return nil
	}
	return b.root
}

// part is one word of a dotted key.
type part struct {
	name string
	span span
}

func keyParts(it unstable.Iterator) []part {
	var parts []part
	for it.Next() {
		n := it.Node()
		parts = append(parts, part{string(n.Data), spanOf(n.Raw)})
	}
	return parts
}

func spanOf(r unstable.Range) span {
	return span{int(r.Offset), int(r.Offset) + int(r.Length)}
}

// keyValue puts one key = value into a table.
func (b *builder) keyValue(table *value, n *unstable.Node) {
	parts := keyParts(n.Key())
	last := parts[len(parts)-1]
	v := b.value(n.Value(), last.span.to)
	for _, p := range parts[:len(parts)-1] {
		e := table.get(p.name)
		if e == nil {
			table.set(p.name, p.span, newTable(byDots, p.span))
			e = table.get(p.name)
		}
		if e.value.made != byDots {
			b.again(p, e)
			return
		}
		table = e.value
	}
	if e := table.get(last.name); e != nil {
		b.again(last, e)
		return
	}
	table.set(last.name, last.span, v)
}

// again reports a key that is given a second time.
func (b *builder) again(p part, first *entry) {
	b.add(p.span, "keep one of the two", "%s is given twice, first on line %d", quoted(p.name), b.line(first.span.from))
}

// value copies a value out of the parser, whose nodes do not outlive the
// expression. after is an offset before the value with nothing but separators
// between: the parser does not say where arrays and inline tables stand.
func (b *builder) value(n *unstable.Node, after int) *value {
	from := b.skip(after)
	switch n.Kind {
	case unstable.Array:
		v := &value{kind: isArray}
		end := from + 1
		for it := n.Children(); it.Next(); {
			item := b.value(it.Node(), end)
			v.items = append(v.items, item)
			end = item.span.to
		}
		v.span = span{from, b.skip(end) + 1}
		return v
	case unstable.InlineTable:
		v := newTable(byValue, span{})
		end := from + 1
		for it := n.Children(); it.Next(); {
			b.keyValue(v, it.Node())
			end = spanOf(it.Node().Raw).to
		}
		v.span = span{from, b.skip(end) + 1}
		return v
	}
	return scalar(b.data, n)
}

// skip returns the offset of the next byte that is neither space, separator
// nor comment.
func (b *builder) skip(at int) int {
	for at < len(b.data) {
		switch c := b.data[at]; {
		case c == '#':
			n := strings.IndexByte(b.data[at:], '\n')
			if n < 0 {
				return len(b.data)
			}
			at += n
		case strings.IndexByte(" \t\r\n,=", c) >= 0:
			at++
		default:
			return at
		}
	}
	return at
}

func scalar(data string, n *unstable.Node) *value {
	v := &value{kind: isDate, span: spanOf(n.Raw), text: string(n.Data)}
	switch n.Kind {
	case unstable.String:
		v.kind = isString
		v.body = body(data[v.span.from:v.span.to], v.text, v.span.from)
	case unstable.Integer:
		v.kind = isInteger
	case unstable.Float:
		v.kind = isFloat
	case unstable.Bool:
		v.kind = isBool
	}
	return v
}

// body finds a string's content within the string as written, or nothing
// where escapes make the two differ. Multi-line strings have three quotes and
// may begin with a line break that does not count.
func body(raw, content string, at int) span {
	closing := 1
	if strings.HasPrefix(raw, `"""`) || strings.HasPrefix(raw, "'''") {
		closing = 3
	}
	from := len(raw) - closing - len(content)
	if from < closing || raw[from:len(raw)-closing] != content || strings.TrimRight(raw[closing:from], "\r\n") != "" {
		return span{}
	}
	return span{at + from, at + from + len(content)}
}
