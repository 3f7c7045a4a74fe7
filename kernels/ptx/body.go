package ptx

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

const (
	maxSteps = 1 << 20 // functions looked at for all kernels of a module, a bound for made-up ones
	maxKinds = 64      // different float atomics of one kernel; compilers know fewer
)

// body is what the instructions of a kernel or a function do.
type body struct {
	atomics []entry.Atomic
	calls   []string // by name, each once as long as they are few
	unsure  string   // the first thing that keeps float atomics from being known
}

// function reads one from behind the word .func: what it returns, its name, its
// parameters and its body.
func (p *parser) function() {
	name := ""
	for t := p.next(); t.text != ""; t = p.next() {
		switch {
		case t.is("("):
			p.skipParentheses()
		case t.is(";"):
			return
		case t.is("{"):
			p.functions[name] = p.body()
			return
		case t.word() && !strings.HasPrefix(t.text, ".") && name == "":
			name = t.text
		}
	}
}

// skipParentheses passes over what stands up to the one that closes one just read.
func (p *parser) skipParentheses() {
	for depth := 1; depth > 0; {
		switch t := p.next(); t.text {
		case "":
			return
		case "(":
			depth++
		case ")":
			depth--
		}
	}
}

// body reads up to the closing brace. An instruction is known by its word wherever
// that stands: no name and no operand has a dot in it, and lines of debugging
// information, which no semicolon ends, would hide what comes behind them.
func (p *parser) body() *body {
	b := &body{}
	for depth := 1; depth > 0; {
		switch t := p.next(); {
		case t.text == "":
			b.doubt(t.line, "the text ends within a body")
			return b
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		case t.is("call") || strings.HasPrefix(t.text, "call."):
			p.call(b, t.line)
		default:
			b.instruction(t)
		}
	}
	return b
}

// instruction looks at one that may change memory in one step.
func (b *body) instruction(t token) {
	switch t.text[0] {
	case 'a', 'r', 'm', 'c':
	default:
		return
	}
	name, _, _ := strings.Cut(t.text, ".")
	switch name {
	case "atom", "red", "multimem", "cp":
	default:
		return
	}
	parts := strings.Split(t.text, ".")
	adds := slices.Contains(parts, "add")
	switch {
	case name == "atom" && slices.Contains(parts, "cas"):
		b.doubt(t.line, "a compare-and-swap")
	case strings.HasPrefix(t.text, "cp.reduce.async.bulk.tensor.") && adds:
		b.doubt(t.line, "a tensor reduction, which adds what its map says,")
	case name == "cp" && !strings.HasPrefix(t.text, "cp.reduce."):
	case adds && slices.ContainsFunc(parts, float):
		b.add(entry.Atomic{Op: t.text, Count: 1, Line: t.line})
	}
}

// float reports whether a part of an instruction is a type of floating-point
// numbers: f32, bf16x2, e4m3x4, ….
func float(part string) bool {
	part, _, _ = strings.Cut(part, "x")
	return slices.Contains([]string{"f16", "bf16", "f32", "f64", "e4m3", "e5m2"}, part)
}

func (b *body) doubt(line int, why string) {
	if b.unsure == "" {
		b.unsure = fmt.Sprintf("%s in line %d", why, line)
	}
}

// add counts an operation, which keeps the line where it came first.
func (b *body) add(a entry.Atomic) {
	i := slices.IndexFunc(b.atomics, func(o entry.Atomic) bool { return o.Op == a.Op })
	switch {
	case i >= 0:
		b.atomics[i].Count += a.Count
		b.atomics[i].Line = min(b.atomics[i].Line, a.Line)
	case len(b.atomics) == maxKinds:
		b.doubt(a.Line, "more kinds of float atomics than are counted")
	default:
		b.atomics = append(b.atomics, a)
	}
}

// call reads whom an instruction calls: "call.uni (ret), NAME, (args);".
func (p *parser) call(b *body, line int) {
	t := p.next()
	if t.is("(") {
		p.skipParentheses()
		t = p.next()
	}
	if t.is(",") {
		t = p.next()
	}
	switch {
	case !t.word():
		p.unread(t)
		b.doubt(line, "a call that is not understood")
	case strings.HasPrefix(t.text, "%"):
		b.doubt(line, "a call through a pointer")
	case len(b.calls) == 0 || b.calls[len(b.calls)-1] != t.text:
		b.calls = append(b.calls, t.text)
	}
}

// harmless are the functions that the system brings and that add no floats in
// memory.
var harmless = []string{"vprintf", "malloc", "free", "__assertfail"}

// resolve gives each kernel what it and all that it calls do.
func (p *parser) resolve() {
	var unsure []string
	for i, own := range p.bodies {
		k := &p.module.Kernels[i]
		all := p.reach(&own)
		k.Atomics, k.AtomicsKnown = all.atomics, all.unsure == ""
		if !k.AtomicsKnown {
			unsure = append(unsure, k.Name+": "+all.unsure)
		}
	}
	switch n := len(unsure); {
	case n == 1:
		p.note("float atomics are not known of kernel " + unsure[0])
	case n > 1:
		p.note(fmt.Sprintf("float atomics are not known of %d kernels, the first is %s", n, unsure[0]))
	}
}

// reach adds up a body and every function that it can come to.
func (p *parser) reach(own *body) body {
	all := body{atomics: own.atomics, unsure: own.unsure}
	if len(own.calls) == 0 {
		return all
	}
	all.atomics = slices.Clone(own.atomics)
	seen := map[string]bool{}
	for open := slices.Clone(own.calls); len(open) > 0; {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[name] || slices.Contains(harmless, name) {
			continue
		}
		seen[name] = true
		f := p.functions[name]
		if p.steps--; f == nil || p.steps < 0 {
			if all.unsure == "" {
				all.unsure = "a call of " + name + ", whose body is not here"
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
		open = append(open, f.calls...)
		p.steps -= len(f.calls) + len(f.atomics)
	}
	return all
}
