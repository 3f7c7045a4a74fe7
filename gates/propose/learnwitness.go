package propose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/expr"
	"gpuci/gates/metric"
)

// proof is a witness: counters, and what holds between them in this run.
type proof struct {
	name, pattern, holds string
	open                 []string // counters of which nothing can be said
}

// counters are the readings of a shape that count something: whole numbers
// written key=number or a/b, without a unit.
func counters(all []reading) (out []reading) {
	ratios, bad := 0, 0
	for _, r := range all {
		plain := r.num().whole && r.num().low >= 0 && r.unit == "" && r.class != axisLike && r.class != indexLike && r.class != lossLike
		if !plain || !r.key && !r.ratio && !r.of {
			continue
		}
		if r.of && (len(out) == 0 || out[len(out)-1].index != r.index-1) {
			continue // of something that is no counter
		}
		if r.ratio {
			ratios++
		}
		if isBad(r.name) {
			bad++
		}
		out = append(out, r)
	}
	if ratios == 0 && bad == 0 && len(out) < 2 {
		return nil
	}
	return out
}

// counterNames are the groups of the counters, by token.
func counterNames(list []reading) map[int]string {
	names := make(map[int]string)
	taken := make(map[string]bool)
	for i, r := range list {
		name := regexp.MustCompile(`[^a-z0-9_]+`).ReplaceAllString(r.name, "_")
		switch {
		case r.of:
			name = names[list[i-1].num().at] + "_of"
		case name == "" || !isGroup(name):
			name = fmt.Sprintf("count%d", i+1)
		}
		for taken[name] {
			name += "_"
		}
		taken[name], names[r.num().at] = true, name
	}
	return names
}

// relations are what holds of the counters, and the counters of which nothing
// that is worth asking does.
func relations(list []reading, names map[int]string) (holds, open []string) {
	for i, r := range list {
		n, name := r.num(), names[r.num().at]
		of := r.ratio && i+1 < len(list) && list[i+1].of
		switch {
		case r.of:
		case of && n.equal && n.low > 0:
			holds = append(holds, name+" > 0", name+" == "+name+"_of")
		case isBad(r.name) && n.high == 0:
			holds = append(holds, name+" == 0")
		case !isBad(r.name) && n.low > 0:
			holds = append(holds, name+" > 0")
			if of {
				open = append(open, fmt.Sprintf("%s is %s of %s: if all of it is meant, write %s == %s_of", name, n.lowText, list[i+1].num().lowText, name, name))
			}
		case isBad(r.name):
			open = append(open, fmt.Sprintf("%s is %s here: if none is meant, write %s == 0", name, n.highText, name))
		default:
			open = append(open, fmt.Sprintf("%s is %s here: say what it must be", name, n.lowText))
		}
	}
	return holds, open
}

// proof makes a witness of a shape, nil where nothing can be held.
func (o *output) proof(all []reading) *proof {
	list := counters(all)
	if len(list) == 0 {
		return nil
	}
	names := counterNames(list)
	holds, open := relations(list, names)
	if len(holds) == 0 {
		return nil
	}
	p := &proof{name: kebab(list[0].name), holds: strings.Join(holds, " && "), open: open}
	if p.name == "" {
		p.name = "counters"
	}
	b := &builder{shape: list[0].shape, readings: all, group: func(at int) string {
		if name := names[at]; name != "" {
			return `(?P<` + name + `>\d+)`
		}
		return ""
	}}
	for _, name := range names {
		b.reserved = append(b.reserved, name)
	}
	first, last := list[0], list[len(list)-1]
	for _, pattern := range b.patterns(first.shape.wordsBefore(first.from), last.num().at+1) {
		if o.proves(pattern, p.holds, list[0].shape) {
			p.pattern = pattern
			return p
		}
	}
	return nil
}

// wordsBefore is the token at which up to two words begin that stand in front
// of another: "fused" of "fused kda=12/16".
func (s *shape) wordsBefore(at int) int {
	for range 2 {
		if at < 2 || s.tokens[at-1].text != " " || s.tokens[at-2].kind != word || s.isLabel(at-2) {
			break
		}
		at -= 2
	}
	return at
}

// proves tries a witness as the gate would: on its own lines it matches once and
// holds, on others it does not match.
func (o *output) proves(pattern, holds string, own *shape) bool {
	p, err := metric.CompileCounters(pattern)
	if err != nil {
		return false
	}
	x, err := expr.Parse(holds)
	if err != nil {
		return false
	}
	for _, line := range own.lines {
		got := p.Counters([]byte(line))
		if len(got) != 1 || got[0].Fault != "" {
			return false
		}
		if ok, err := x.Eval(got[0].Groups); err != nil || !ok {
			return false
		}
	}
	return !slices.ContainsFunc(o.shapes.list, func(s *shape) bool {
		return s != own && len(p.Counters([]byte(s.lines[0]))) > 0
	})
}

func (p *proof) toml() []string {
	out := comment(p.name + ": what held in this run. It proves which path was taken: keep what would not hold on the wrong one, and take out the rest")
	for _, line := range p.open {
		out = append(out, comment(line)...)
	}
	return append(out, "  [[gate.witness]]", "  name = "+config.TOMLString(p.name), "  pattern = "+config.TOMLString(p.pattern), "  holds = "+config.TOMLString(p.holds))
}
