package metric

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// blanks are what may stand between a number and what belongs to it.
const blanks = " \t\n\v\f\r" + thin

// thin are the blanks that are set inside a number: no-break, and of the width
// of a figure or less.
const thin = "\u00a0\u2007\u2008\u2009\u200a\u202f"

// place is what a pattern has right around a number group.
type place struct {
	front front
	back  back
}

// front is what a pattern has right in front of a number group.
type front struct {
	literal rune           // the literal that must stand there; 0 when none
	loose   bool           // text is skipped there, so that the group can wander
	class   *syntax.Regexp // the class of what is skipped when no digit is in it, as with \D*
}

// back is what a pattern has right behind a number group.
type back struct {
	gap     bool // a blank must stand there
	literal rune // the literal that must stand there, behind blanks if any; 0 when none
}

// means says that the pattern itself has the character that follows a number.
func (b back) means(r rune) bool {
	return b.gap && strings.ContainsRune(blanks, r) || b.literal != 0 && strings.EqualFold(string(r), string(b.literal))
}

// placesIn finds the place of every number group, by its index.
func placesIn(tree *syntax.Regexp, number func(group string) bool) map[int]place {
	out := make(map[int]place)
	var walk func(r *syntax.Regexp, f front, b back)
	walk = func(r *syntax.Regexp, f front, b back) {
		switch r.Op {
		case syntax.OpCapture:
			if number(r.Name) {
				out[r.Cap] = place{f, b}
			}
			walk(r.Sub[0], f, b)
		case syntax.OpConcat:
			for i, s := range r.Sub {
				walk(s, frontOf(r.Sub[:i], f), backOf(r.Sub[i+1:], b))
			}
		case syntax.OpAlternate, syntax.OpQuest:
			for _, s := range r.Sub {
				walk(s, f, b)
			}
		case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
			walk(r.Sub[0], front{loose: true}, back{})
		}
	}
	walk(tree, front{loose: true}, back{}) // a match can begin anywhere
	return out
}

// frontOf is what a sequence ends with; outer is what stands before it.
func frontOf(seq []*syntax.Regexp, outer front) front {
	for i := len(seq) - 1; i >= 0; i-- {
		switch s := seq[i]; {
		case zeroWidth(s):
		case blank(s):
			f := frontOf(seq[:i], outer)
			f.literal = 0
			return f
		default:
			return endOf(s)
		}
	}
	return outer
}

func endOf(r *syntax.Regexp) front {
	switch r.Op {
	case syntax.OpLiteral:
		return front{literal: r.Rune[len(r.Rune)-1]}
	case syntax.OpCapture:
		return endOf(r.Sub[0])
	case syntax.OpConcat:
		return frontOf(r.Sub, front{})
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		s := r.Sub[0]
		switch {
		case s.Op == syntax.OpCharClass && within(s, ofNumbers):
			return front{} // a number right before this one
		case s.Op == syntax.OpCharClass && !holds(s, '0', '9'):
			return front{loose: true, class: s}
		}
		return front{loose: true}
	}
	return front{}
}

// backOf is what a sequence begins with; outer is what follows it.
func backOf(seq []*syntax.Regexp, outer back) back {
	gap := false
	for _, s := range seq {
		switch {
		case zeroWidth(s):
			continue
		case blank(s):
			gap = gap || !mayMiss(s)
			continue
		}
		b := startOf(s)
		return back{gap || b.gap, b.literal}
	}
	return back{gap || outer.gap, outer.literal}
}

func startOf(r *syntax.Regexp) back {
	switch r.Op {
	case syntax.OpLiteral:
		text := strings.TrimLeft(string(r.Rune), blanks)
		first, _ := utf8.DecodeRuneInString(text)
		return back{len(text) < len(string(r.Rune)), first}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		return backOf(r.Sub, back{})
	case syntax.OpRepeat:
		if r.Min > 0 {
			return backOf(r.Sub, back{})
		}
	}
	return back{}
}

func zeroWidth(r *syntax.Regexp) bool {
	return r.Op == syntax.OpEmptyMatch || r.Op == syntax.OpWordBoundary || r.Op == syntax.OpNoWordBoundary
}

func mayMiss(r *syntax.Regexp) bool {
	return r.Op == syntax.OpStar || r.Op == syntax.OpQuest || r.Op == syntax.OpRepeat && r.Min == 0
}

// blank says that all a part of a pattern can match is blanks.
func blank(r *syntax.Regexp) bool {
	switch r.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return blank(r.Sub[0])
	case syntax.OpLiteral:
		return strings.Trim(string(r.Rune), blanks) == ""
	}
	return r.Op == syntax.OpCharClass && within(r, blanks)
}

// within says that all members of a class are among these.
func within(class *syntax.Regexp, these string) bool {
	for i := 0; i < len(class.Rune); i += 2 {
		for r := class.Rune[i]; r <= class.Rune[i+1]; r++ {
			if !strings.ContainsRune(these, r) {
				return false
			}
		}
	}
	return true
}

// holds says that a class has a member between two runes, both included.
func holds(class *syntax.Regexp, from, to rune) bool {
	for i := 0; i < len(class.Rune); i += 2 {
		if class.Rune[i] <= to && class.Rune[i+1] >= from {
			return true
		}
	}
	return false
}
