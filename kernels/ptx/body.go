package ptx

import (
	"cmp"
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
	pointer int      // the first line that calls through a pointer, 0: none does
	unsure  string   // the first thing that keeps float atomics from being known
}

// function reads one from behind the word .func: what it returns, its name, its
// parameters and its body. A declaration has none.
func (p *parser) function(linkage string) {
	name := ""
	defer func() {
		p.open = p.open || linkage != "" && !entry.OfDriver(name)
	}()
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
			if _, there := p.functions[name]; !there {
				p.functions[name] = nil
			}
		}
	}
}

// mention notes the name of a function that stands neither where it is declared nor
// where it is called: its address is kept.
func (p *parser) mention(t token) {
	if len(p.functions) == 0 || t.text[0] < 'A' && t.text[0] != '$' { // most are registers and numbers
		return
	}
	if _, there := p.functions[t.text]; there && !p.taken[t.text] {
		p.taken[t.text] = true
		p.pointed = append(p.pointed, t.text)
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
	b, start := &body{}, p.rest
	for depth := 1; depth > 0; {
		switch t := p.next(); {
		case t.text == "":
			b.doubt(t.line, "the text ends within a body")
			p.note(fmt.Sprintf("line %d: the text ends within a body: it is truncated", t.line))
			return b
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		case t.is("call") || strings.HasPrefix(t.text, "call."):
			p.call(b, t.line)
		case strings.HasPrefix(t.text, "atom.") && strings.Contains(t.text, ".cas."):
			p.compareAndSwap(b, t, start)
		default:
			b.instruction(t)
			p.mention(t)
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
	case strings.HasPrefix(t.text, "cp.reduce.async.bulk.tensor.") && adds:
		b.doubt(t.line, "a tensor reduction, which adds what its map says,")
	case name == "cp" && !strings.HasPrefix(t.text, "cp.reduce."):
	case adds && slices.ContainsFunc(parts, float):
		b.add(entry.Atomic{Op: t.text, Count: 1, Line: t.line})
	}
}

// compareAndSwap is an addition of floats where it stores one.
func (p *parser) compareAndSwap(b *body, t token, start string) {
	if sum := p.swap(t, start); sum != "" {
		b.add(entry.Atomic{Op: t.text + " of " + sum, Count: 1, Line: t.line})
		return
	}
	b.doubt(t.line, "a compare-and-swap")
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
		b.pointer = cmp.Or(b.pointer, line)
	case len(b.calls) == 0 || b.calls[len(b.calls)-1] != t.text:
		b.calls = append(b.calls, t.text)
	}
}
