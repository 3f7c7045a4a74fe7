package ptx

import (
	"fmt"
	"slices"

	"gpuci/kernels/entry"
)

// resolve gives each kernel what it and all that it calls do.
func (p *parser) resolve() {
	for i, own := range p.bodies {
		k := &p.module.Kernels[i]
		all := p.reach(&own)
		k.Atomics, k.AtomicsWhy, k.AtomicsKnown = all.atomics, all.unsure, all.unsure == ""
	}
}

// through says what keeps a call through a pointer from being followed, "" where nothing
// does: then it comes to one of the functions whose addresses are kept.
func (p *parser) through(line int) string {
	switch {
	case p.open:
		return fmt.Sprintf("a call through a pointer in line %d, and other files' functions may be linked with this one's", line)
	case len(p.pointed) == 0:
		return fmt.Sprintf("a call through a pointer in line %d, and no function that it could mean is in this file", line)
	}
	return ""
}

// reach adds up a body and every function that it can come to.
func (p *parser) reach(own *body) body {
	all := body{atomics: own.atomics, unsure: own.unsure}
	if len(own.calls) == 0 && own.pointer == 0 {
		return all
	}
	all.atomics = slices.Clone(own.atomics)
	seen := map[string]bool{}
	open := p.calls(&all, own, nil)
	for len(open) > 0 {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[name] || entry.OfDriver(name) {
			continue
		}
		seen[name] = true
		f := p.functions[name]
		if p.steps--; f == nil || p.steps < 0 {
			if all.unsure == "" {
				all.unsure = "a call of " + name + ", which is not in this file"
			}
			if p.steps < 0 {
				return all
			}
			continue
		}
		if all.unsure == "" {
			all.unsure = f.unsure
		}
		for _, a := range f.atomics {
			all.add(a)
		}
		open = p.calls(&all, f, open)
		p.steps -= len(f.atomics)
	}
	return all
}

// calls adds to a list whom a body calls. Through a pointer that is every function whose
// address is kept; they are added once.
func (p *parser) calls(all, b *body, open []string) []string {
	p.steps -= len(b.calls)
	if b.pointer > 0 && all.pointer == 0 {
		all.pointer = b.pointer
		if all.unsure == "" {
			all.unsure = p.through(b.pointer)
		}
		p.steps -= len(p.pointed)
		open = append(open, p.pointed...)
	}
	return append(open, b.calls...)
}
