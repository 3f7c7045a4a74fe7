package ptx

import (
	"crypto/sha256"
	"hash"
	"maps"
	"slices"
	"strings"
)

// hashes fills in what kernels and module are compared by: their text, without space,
// comments, lines of debugging information, and the numbers that labels have only for
// what stands before them. A kernel's hash has the functions that it names.
func (p *parser) hashes(text string) {
	h := &hasher{lexer: lexer{rest: text, line: 1}, functions: p.functions, parts: make(map[string]part), labels: make(map[string]int), named: make(map[string]int), seen: make(map[string]int), data: sha256.New(), one: sha256.New(), left: maxSteps, texts: make(map[string]string)}
	_, h.paths = p.functions[asserts]
	h.kernels = make([]part, 0, len(p.module.Kernels))
	h.module()
	at := 0
	for i := range p.module.Kernels {
		k := &p.module.Kernels[i]
		for at < len(h.kernels) && h.kernels[at].name != k.Name { // of two of one name one is told
			at++
		}
		if at < len(h.kernels) {
			k.CodeHash = h.whole(h.kernels[at], i+1)
			at++
		}
	}
	h.rest()
	p.module.DataHash = h.short(h.data)
}

// rest hashes the functions that no kernel names, which are called by addresses that
// variables have, or by other files.
func (h *hasher) rest() {
	for _, name := range slices.Sorted(maps.Keys(h.parts)) {
		if h.seen[name] == 0 {
			h.add(h.data, token{text: name})
			h.add(h.data, token{text: h.parts[name].hash})
		}
	}
}

// hasher goes through a text once more.
type hasher struct {
	lexer
	functions map[string]*body  // by name
	kernels   []part            // that have a body, in their order
	parts     map[string]part   // functions that have one
	data      hash.Hash         // of all that no kernel has
	one       hash.Hash         // of the kernel or function that is read
	text      []byte            // of it, as it is hashed
	labels    map[string]int    // of it, by their names: in which order they come
	number    int               // of it
	named     map[string]int    // functions, and the number of the last that names them
	seen      map[string]int    // functions, and the last kernel that was found to reach them, from 1
	open      []string          // those still to be looked at
	word      []byte            // that is hashed
	list      []token           // of the variable that is read
	texts     map[string]string // of the source, by their names: what they say
	paths     bool              // something asserts, and has the paths of sources as texts
	left      int               // functions that may still be looked at, over all kernels
}

// part is the text of one kernel or function.
type part struct {
	name  string
	hash  string
	names []string // functions that stand in it
}

func (h *hasher) module() {
	for t := h.next(); t.text != ""; t = h.next() {
		switch t.text {
		case ".version", ".target", ".address_size", ".file", ".loc":
			h.skipLine(t)
		case ".visible", ".extern", ".weak", ".common": // says who may refer to what follows
		case ".section":
			for t = h.next(); t.text != "" && !t.is("{"); t = h.next() {
			}
			h.braces(func(token) {})
		case ".entry", ".func":
			h.function(t.is(".entry"))
		case ".const", ".global":
			h.variable(t)
		default:
			h.add(h.data, t)
		}
	}
}

// skipLine passes over what stands in the line of a token: no semicolon ends it.
func (h *hasher) skipLine(first token) {
	for t := h.next(); ; t = h.next() {
		if t.text == "" || t.line != first.line {
			h.unread(t)
			return
		}
	}
}

// function hashes a kernel or a function from behind its first word on. One that is
// only declared says nothing.
func (h *hasher) function(kernel bool) {
	name, one := "", part{}
	h.number++
	h.text = h.text[:0]
	clear(h.labels)
	add := func(t token) {
		if mayName(t.text) && h.functions[t.text] != nil && t.text != name && h.named[t.text] != h.number {
			h.named[t.text] = h.number
			one.names = append(one.names, t.text)
		}
		h.text = appendWord(h.text, h.label(t))
	}
	depth := 0
	for t := h.next(); t.text != "" && !t.is("{"); t = h.next() {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is(";") && depth == 0:
			return
		case depth == 0 && name == "" && t.word() && !strings.HasPrefix(t.text, "."):
			name = t.text
		}
		add(t)
	}
	h.braces(add)
	h.one.Reset()
	_, _ = h.one.Write(h.text)
	one.name, one.hash = name, h.short(h.one)
	if kernel {
		h.kernels = append(h.kernels, one)
	} else {
		h.parts[name] = one
	}
}

// braces hands over what stands up to the brace that closes one just read, but for
// lines of debugging information.
func (h *hasher) braces(each func(token)) {
	for depth := 1; depth > 0; {
		t := h.next()
		switch t.text {
		case "":
			return
		case "{":
			depth++
		case "}":
			depth--
		case ".loc", ".file":
			h.skipLine(t)
			continue
		}
		each(t)
	}
}

// whole is the hash of a kernel with all that it reaches, "" where that is too much.
func (h *hasher) whole(k part, number int) string {
	if len(k.names) == 0 {
		return k.hash
	}
	h.one.Reset()
	h.add(h.one, token{text: k.hash})
	h.open = append(h.open[:0], k.names...)
	for at := 0; at < len(h.open); at++ {
		if h.left--; h.left < 0 {
			return ""
		}
		name := h.open[at]
		if h.seen[name] == number {
			continue
		}
		h.seen[name] = number
		p := h.parts[name]
		h.add(h.one, token{text: p.hash})
		h.open = append(h.open, p.names...)
	}
	return h.short(h.one)
}
