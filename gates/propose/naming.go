package propose

import (
	"slices"
	"strings"

	"gpuci/gates/metric"
)

// reading is one number of a shape, and what it is.
type reading struct {
	shape *shape
	index int // into shape.nums
	name  string
	unit  string
	class class
	key   bool // written key=number
	ratio bool // the first of a/b
	of    bool // the second
	from  int  // the token that its name begins at
	to    int  // the token behind it and its unit
}

func (r reading) num() *num { return &r.shape.nums[r.index] }

// fillers are words that name nothing.
var fillers = []string{"is", "was", "are", "the", "a", "an", "of", "to", "with", "and", "got", "by", "has", "had", "ran", "using", "about", "only", "now"}

// vague are words that name a number only together with what stands before them.
var vague = []string{"value", "max", "min", "mean", "avg", "median", "best", "worst", "total", "p50", "p90", "p95", "p99", "std", "cur", "final", "time", "bench"}

// read says what every number of a shape is.
func (s *shape) read() (out []reading) {
	if name, results, ok := s.bench(); ok {
		return s.readBench(name, results)
	}
	for i, n := range s.nums {
		r := reading{shape: s, index: i, to: n.at + 1}
		r.readUnit()
		words := r.readName()
		r.class = classify(words, r.unit)
		r.ratio = r.follows(1) && n.whole && s.nums[i+1].whole
		r.of = i > 0 && len(out) > 0 && out[i-1].ratio
		if r.class == unknown && len(words) == 0 && s.inBrackets(n.at) {
			r.class = axisLike
		}
		r.name = metricName(words, r.unit)
		out = append(out, r)
	}
	return out
}

// follows says that a slash and a number follow.
func (r reading) follows(n int) bool {
	t, at := r.shape.tokens, r.num().at
	return at+1+n < len(t) && t[at+1].text == "/" && t[at+2].kind == number
}

// inBrackets says that a number is one of several in brackets, as a shape is.
func (s *shape) inBrackets(at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch t := s.tokens[i]; {
		case t.text == "[" || t.text == "(":
			return true
		case t.kind == number, t.kind == blank, t.text == ",", t.text == "x":
		default:
			return false
		}
	}
	return false
}

// readUnit finds the unit, right behind the number or behind one blank.
func (r *reading) readUnit() {
	t := r.shape.tokens
	at := r.to
	if at < len(t) && t[at].kind == blank {
		at++
	}
	if at >= len(t) {
		return
	}
	text, end := t[at].text, at+1
	if end+1 < len(t) && t[end].text == "/" && t[end+1].kind == word {
		text, end = text+"/"+t[end+1].text, end+2
	}
	if end < len(t) && t[end].text == "=" { // the key of the next number
		return
	}
	if unit := unitOfWord(text); unit != "" {
		r.unit, r.to = unit, end
	}
}

// readName gathers the words that name the number: its key, or up to three
// words in front of it.
func (r *reading) readName() (words []string) {
	t, i := r.shape.tokens, r.num().at-1
	for i >= 0 && (t[i].kind == blank || strings.Contains("=:(~≈<>", t[i].text) && t[i].kind == sign) {
		r.key = r.key || t[i].text == "=" && i == r.num().at-1 && i > 0 && t[i-1].kind == word
		i--
	}
	r.from = i + 1
	single := r.key
	for ; i >= 0 && len(words) < 3; i-- {
		switch {
		case t[i].kind == blank && len(t[i].text) == 1 && i > 0 && t[i-1].kind == word:
			continue
		case t[i].kind != word || r.shape.isLabel(i):
			return words
		case slices.Contains(fillers, strings.ToLower(t[i].text)):
			continue
		}
		words = append([]string{t[i].text}, words...)
		r.from = i
		if single && !slices.Contains(vague, strings.ToLower(t[i].text)) {
			return words
		}
	}
	return words
}

func (s *shape) isLabel(at int) bool {
	return slices.ContainsFunc(s.labels, func(l label) bool { return l.at == at })
}

// metricName makes a name of the words, with the unit as its last word where
// that says the unit by itself.
func metricName(words []string, unit string) string {
	name := kebab(strings.Join(words, "-"))
	says := metric.UnitOf("x-"+unit, "")
	if name == "" || says == "" || metric.UnitOf(name, "") == says {
		return name
	}
	return kebab(name + "-" + unit)
}
