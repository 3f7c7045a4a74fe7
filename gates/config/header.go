package config

import "strings"

// header finds or makes the table that a [table] or [[table]] line opens.
// After a mistake it returns a table that stands nowhere, so that the lines
// below are not taken for those of another table.
func (b *builder) header(parts []part, list bool) *value {
	table := b.root
	for _, p := range parts[:len(parts)-1] {
		if table = b.descend(table, p); table == nil {
			return newTable(byHeader, p.span)
		}
	}
	last := parts[len(parts)-1]
	open := b.open
	if list {
		open = b.openList
	}
	if t := open(table, last, b.brackets(parts)); t != nil {
		return t
	}
	return newTable(byHeader, last.span)
}

// brackets is the place of a whole header, brackets and all.
func (b *builder) brackets(parts []part) span {
	at := span{parts[0].span.from, parts[len(parts)-1].span.to}
	before := strings.TrimRight(b.data[:at.from], " \t[")
	at.from = len(before) + strings.IndexByte(b.data[len(before):], '[')
	for at.to < len(b.data) && strings.IndexByte(" \t]", b.data[at.to]) >= 0 {
		at.to++
	}
	at.to = at.from + len(strings.TrimRight(b.data[at.from:at.to], " \t"))
	return at
}

// descend goes one word further on the way to a table.
func (b *builder) descend(table *value, p part) *value {
	e := table.get(p.name)
	if e == nil {
		table.set(p.name, p.span, newTable(byPath, p.span))
		return table.get(p.name).value
	}
	switch e.value.made {
	case byValue:
		b.add(p.span, "", "%s is a value on line %d, so no table can stand in it", quoted(p.name), b.line(e.span.from))
		return nil
	case byList:
		return e.value.items[len(e.value.items)-1]
	}
	return e.value
}

// open opens a [table].
func (b *builder) open(table *value, p part, at span) *value {
	e := table.get(p.name)
	if e == nil {
		table.set(p.name, p.span, newTable(byHeader, at))
		return table.get(p.name).value
	}
	if e.value.made != byPath {
		b.again(p, e)
		return nil
	}
	e.span, e.value.made, e.value.span = p.span, byHeader, at
	return e.value
}

// openList opens one more [[table]].
func (b *builder) openList(table *value, p part, at span) *value {
	e := table.get(p.name)
	if e == nil {
		table.set(p.name, p.span, &value{kind: isArray, made: byList, span: at})
		e = table.get(p.name)
	}
	if e.value.made != byList {
		b.again(p, e)
		return nil
	}
	t := newTable(byHeader, at)
	e.value.items = append(e.value.items, t)
	return t
}
