package lint

import (
	"regexp"
	"strings"
)

// pyWord is a word of an expression of -k or -m.
var pyWord = regexp.MustCompile(`\(|\)|[^\s()]+`)

// pyMatches says whether an expression of words, and, or, not and parentheses holds.
// What is no such expression holds.
func pyMatches(expression string, has func(word string) bool) bool {
	p := &pyExpression{words: pyWord.FindAllString(expression, -1), has: has}
	if len(p.words) == 0 {
		return true
	}
	holds := p.or(0)
	return holds || p.bad || len(p.words) > 0
}

type pyExpression struct {
	words []string
	has   func(string) bool
	bad   bool
}

func (p *pyExpression) next(word string) bool {
	if len(p.words) > 0 && p.words[0] == word {
		p.words = p.words[1:]
		return true
	}
	return false
}

func (p *pyExpression) or(depth int) bool {
	holds := p.and(depth)
	for p.next("or") {
		holds = p.and(depth) || holds
	}
	return holds
}

func (p *pyExpression) and(depth int) bool {
	holds := p.not(depth)
	for p.next("and") {
		holds = p.not(depth) && holds
	}
	return holds
}

func (p *pyExpression) not(depth int) bool {
	if len(p.words) == 0 || depth > maxDepth {
		p.bad = true
		return true
	}
	switch {
	case p.next("not"):
		return !p.not(depth + 1)
	case p.next("("):
		holds := p.or(depth + 1)
		p.bad = p.bad || !p.next(")")
		return holds
	}
	word := p.words[0]
	p.words = p.words[1:]
	return p.has(strings.ToLower(word))
}
