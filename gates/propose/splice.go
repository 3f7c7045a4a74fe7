package propose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"gpuci/gates/config"
)

// gateText is where a gate stands in a file. Lines count from 0.
type gateText struct {
	end  int                  // the line that what is added goes in front of
	from int                  // the line of its header
	to   int                  // the line that it ends in front of, comments and all
	keys map[string]valueText // its own keys
}

// valueText is a value in a file, in bytes.
type valueText struct{ from, to int }

var errNotFound = errors.New("the gate is not written as a [[gate]] table there")

// findGate finds a [[gate]] by its name.
func findGate(text, name string) (gateText, error) {
	data := []byte(text)
	data = data[:len(data):len(data)] // the parser tells offsets by capacity
	var p unstable.Parser
	p.Reset(data)
	g := gateText{end: -1}
	own, found, header := false, false, 0 // in the gate's own table; the wanted one; where it begins
	keys := make(map[string]valueText)
	for p.NextExpression() {
		n := p.Expression()
		path, at := keyPath(n)
		switch {
		case n.Kind == unstable.Table || n.Kind == unstable.ArrayTable:
			if found && path[0] != "gate" || n.Kind == unstable.ArrayTable && len(path) == 1 && path[0] == "gate" {
				if found {
					g.end = lineOf(text, at)
					return g.before(text, header), nil
				}
				keys = make(map[string]valueText)
			}
			if own = n.Kind == unstable.ArrayTable && len(path) == 1 && path[0] == "gate"; own {
				header = at
			}
		case n.Kind == unstable.KeyValue && own && len(path) == 1:
			v := n.Value()
			keys[path[0]] = valueText{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}
			if v.Kind == unstable.Array {
				keys[path[0]] = arrayText(text, at, v)
			}
			if path[0] == "name" && string(v.Data) == name {
				found, g.keys = true, keys
			}
		}
	}
	switch {
	case p.Error() != nil:
		return g, fmt.Errorf("read %s: %w", config.FileName, p.Error())
	case !found:
		return g, errNotFound
	}
	g.end = strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		g.end++
	}
	return g.before(text, header), nil
}

// arrayText is where an array stands whose key begins at an offset: the parser says
// it of what is in it alone. One with nothing in it is not found.
func arrayText(text string, key int, n *unstable.Node) (v valueText) {
	depth, deepest := 0, 0 // arrays that are open where the last element ends
	var walk func(n *unstable.Node)
	walk = func(n *unstable.Node) {
		if n.Kind != unstable.Array {
			v.to, deepest = int(n.Raw.Offset+n.Raw.Length), depth
			return
		}
		depth++
		for it := n.Children(); it.Next(); {
			walk(it.Node())
		}
		depth--
	}
	walk(n)
	if v.from = key + strings.IndexByte(text[key:], '['); v.to < v.from {
		return valueText{}
	}
	for ; deepest > 0 && v.to < len(text); v.to++ {
		switch text[v.to] {
		case '#': // to the end of the line
			v.to += strings.IndexByte(text[v.to:]+"\n", '\n')
		case ']':
			deepest--
		}
	}
	return v
}

// keyPath is the key of an expression, and where it stands.
func keyPath(n *unstable.Node) (path []string, at int) {
	if n.Kind != unstable.Table && n.Kind != unstable.ArrayTable && n.Kind != unstable.KeyValue {
		return []string{""}, 0
	}
	for it := n.Key(); it.Next(); {
		if len(path) == 0 {
			at = int(it.Node().Raw.Offset)
		}
		path = append(path, string(it.Node().Data))
	}
	return path, at
}

func lineOf(text string, offset int) int { return strings.Count(text[:offset], "\n") }

// before moves the end up over blank lines and comments: those belong to what
// comes next.
func (g gateText) before(text string, header int) gateText {
	lines := strings.Split(text, "\n")
	g.from, g.to = lineOf(text, header), min(g.end, len(lines))
	for g.end > lineOf(text, header)+1 {
		if line := strings.TrimSpace(lines[g.end-1]); line != "" && line[0] != '#' {
			break
		}
		g.end--
	}
	return g
}

// set changes the value of one of the gate's keys; where there is none it comes
// below the reader, which every gate has.
func (g gateText) set(text, key, value string) []edit {
	v, ok := g.keys[key]
	if ok && v.to > v.from {
		line := lineOf(text, v.from)
		begin := strings.LastIndexByte(text[:v.from], '\n') + 1
		end := len(text)
		if i := strings.IndexByte(text[v.to:], '\n'); i >= 0 {
			end = v.to + i
		}
		now := strings.ReplaceAll(text[begin:v.from]+value+text[v.to:end], "\r", "")
		return []edit{{line: line, remove: lineOf(text, v.to) - line + 1, insert: strings.Split(now, "\n")}}
	}
	r, ok := g.keys["reader"]
	if !ok {
		return nil
	}
	return []edit{{line: lineOf(text, r.from) + 1, insert: []string{key + " = " + value}}}
}

// edit replaces some lines, from line on, by others.
type edit struct {
	line, remove int
	insert       []string
}

// splice applies edits to a text, and writes them as a unified diff of it.
func splice(text string, edits []edit) (after, diff string, err error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.line - b.line })
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	newline := "\n"
	if strings.HasSuffix(lines[0], "\r\n") {
		newline = "\r\n"
	}
	last := len(lines) - 1
	ended := strings.HasSuffix(lines[last], "\n") // the last line has its end, or gets it
	for i := range edits {
		e := &edits[i]
		if e.line+e.remove > len(lines) || i > 0 && e.line < edits[i-1].line+edits[i-1].remove {
			return "", "", fmt.Errorf("splice %s: two changes of one line", config.FileName)
		}
		for j := range e.insert {
			e.insert[j] += newline
		}
		if !ended && e.line == len(lines) {
			e.line, e.remove, e.insert = last, 1, append([]string{lines[last] + newline}, e.insert...)
		}
		ended = ended || e.line+e.remove == len(lines)
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(strings.Join(lines[at:e.line], ""))
		b.WriteString(strings.Join(e.insert, ""))
		at = e.line + e.remove
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String(), unified(lines, edits), nil
}
