package config

import "strings"

// afterKey is the key of a gate that names those which go before it at night.
const afterKey = "after"

// afterOf is a gate's line with that key, to be read when all gates are known.
type afterOf struct {
	gate   int // in Config.Gates
	fields *fields
	entry  *entry
	items  []*value
}

// night reads what a gate says of nights.
func (f *fields) night(g *Gate) *afterOf {
	if e := f.take("nightly"); e != nil {
		if e.value.kind != isBool {
			f.wrong(e, "true or false", "nightly = false")
		} else {
			f.note(e)
			g.DayOnly = e.value.text == "false"
		}
	}
	e, items := f.texts(afterKey, `["unit"]`)
	if e == nil {
		return nil
	}
	return &afterOf{fields: f, entry: e, items: items}
}

// orders fills in After, and reports what cannot be an order.
func (l *layer) orders(all []*afterOf) {
	o := orders{l, make(map[string]*afterOf), make(map[string]bool)}
	for _, a := range all {
		g := &l.config.Gates[a.gate]
		g.After = a.fields.gateNames(a.entry, a.items)
		o.of[g.Name] = a
	}
	for _, a := range all {
		o.follow(l.config.Gates[a.gate].Name, nil)
	}
}

// orders walks from gate to gate.
type orders struct {
	*layer
	of   map[string]*afterOf // by the name of the gate
	done map[string]bool     // gates that were followed to their ends
}

// follow goes on from a gate to those before it, and reports one that leads back
// to the way it was reached by.
func (o *orders) follow(name string, way []string) {
	a := o.of[name]
	if a == nil || o.done[name] {
		return
	}
	o.done[name] = true
	way = append(way, name)
	for _, item := range a.items {
		if from := indexOf(way, item.text); from >= 0 {
			circle := strings.Join(append(way[from:len(way):len(way)], item.text), " after ")
			a.fields.add(item.span, "take one of these lines out", "gates wait for each other: %s", circle)
			continue
		}
		o.follow(item.text, way)
	}
}

// indexOf looks from the end: what leads back mostly leads back a few steps.
func indexOf(names []string, name string) int {
	for i := len(names) - 1; i >= 0; i-- {
		if names[i] == name {
			return i
		}
	}
	return -1
}
