package ptx

import (
	"slices"
	"strings"
)

// A loop of compare-and-swap that stores what it read plus something adds in memory, in
// the order in which threads come by, like an atomic that adds. Where the value that is
// stored is, by the instructions right before, an addition of floats with the value that
// is compared, it is called that; all else stays unknown.

const (
	lookBack  = 2 << 10 // bytes of text before a swap; the loops have some hundreds
	mostSwaps = 1 << 12 // of a text, that are looked into
)

// statement is one instruction: what it does, and its operands, the registers of each.
type statement struct {
	op       string
	operands [][]string
}

// swap says which addition of floats the compare-and-swap that was just read stores, ""
// where that is not seen. behind is the text from the body's start on.
func (p *parser) swap(t token, behind string) string {
	if p.swaps++; p.swaps > mostSwaps {
		return ""
	}
	own := lexer{rest: p.rest, line: p.line}
	last, ok := own.statement(t)
	if !ok || len(last.operands) < 4 || len(last.operands[2]) != 1 || len(last.operands[3]) != 1 {
		return ""
	}
	before := behind[:len(behind)-len(p.rest)]
	before = before[:len(before)-len(t.text)]
	before = before[max(0, len(before)-lookBack):]
	_, before, _ = strings.Cut(before, "\n") // the first line may be cut
	f := flowBack{list: statements(before), expected: last.operands[2][0]}
	f.seen, f.held = make([]bool, len(f.list)), make([]bool, len(f.list))
	return f.sum(last.operands[3][0], len(f.list))
}

// statements are the instructions of a stretch of text.
func statements(text string) (list []statement) {
	l := lexer{rest: text, line: 1}
	for t := l.next(); t.text != ""; t = l.next() {
		if !opcode(t) {
			continue
		}
		if s, ok := l.statement(t); ok {
			list = append(list, s)
		}
	}
	return list
}

// opcode says whether a word can be an instruction that is followed.
func opcode(t token) bool {
	word, _, found := strings.Cut(t.text, ".")
	return found && slices.Contains([]string{"add", "sub", "fma", "mad", "mov", "cvt", "max", "min", "selp", "prmt", "shl", "shr", "and", "or", "xor", "bfe", "bfi", "ld", "atom", "mul", "neg", "set", "ex2"}, word)
}

// statement reads the operands of an instruction, up to its semicolon. It is none where
// they go on for long.
func (l *lexer) statement(op token) (statement, bool) {
	const most = 64 // words
	s := statement{op: op.text, operands: [][]string{nil}}
	depth := 0
	for range most {
		t := l.next()
		last := len(s.operands) - 1
		switch {
		case t.text == "":
			return s, false
		case t.is(";"):
			return s, true
		case t.is("{"), t.is("["):
			depth++
		case t.is("}"), t.is("]"):
			depth--
		case t.is(",") && depth == 0:
			s.operands = append(s.operands, nil)
		case t.text[0] == '%' || t.word() && !strings.HasPrefix(t.text, "."):
			s.operands[last] = append(s.operands[last], t.text)
		}
	}
	return s, false
}

// flowBack follows registers to the instructions before that wrote them.
type flowBack struct {
	list       []statement
	expected   string
	seen, held []bool // instructions that were followed for a sum, and for the value that is compared
}

// sum is the addition of floats that a register's value was made by, out of the value
// that is compared.
func (f *flowBack) sum(register string, before int) string {
	at := f.written(register, before)
	if at < 0 || f.seen[at] {
		return ""
	}
	f.seen[at] = true
	s := f.list[at]
	parts := strings.Split(s.op, ".")
	adds := slices.Contains([]string{"add", "sub", "fma", "mad"}, parts[0]) && slices.ContainsFunc(parts, float)
	if adds && slices.ContainsFunc(s.reads(), func(r string) bool { return f.holds(r, at) }) {
		return s.op
	}
	for _, r := range s.reads() {
		if op := f.sum(r, at); op != "" {
			return op
		}
	}
	return ""
}

// holds says whether a register has the value that is compared, or a part of it.
func (f *flowBack) holds(register string, before int) bool {
	if register == f.expected {
		return true
	}
	at := f.written(register, before)
	if at < 0 || f.held[at] {
		return false
	}
	f.held[at] = true
	return slices.ContainsFunc(f.list[at].reads(), func(r string) bool { return f.holds(r, at) })
}

// written is the last instruction before another that writes a register, -1 where none is
// near.
func (f *flowBack) written(register string, before int) int {
	for at := before - 1; at >= 0; at-- {
		if slices.Contains(f.list[at].operands[0], register) {
			return at
		}
	}
	return -1
}

// reads are the registers that an instruction makes its result of; what comes from memory
// is made of none.
func (s statement) reads() (list []string) {
	if strings.HasPrefix(s.op, "ld.") || strings.HasPrefix(s.op, "atom.") {
		return nil
	}
	for _, o := range s.operands[1:] {
		for _, r := range o {
			if r[0] == '%' {
				list = append(list, r)
			}
		}
	}
	return list
}
