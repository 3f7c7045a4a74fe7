package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates/expr"
)

const (
	// maxPredicted bounds the metrics of a prediction.
	maxPredicted = 6
	// maxTried bounds how often it is tried: some 0.2 s.
	maxTried = 100_000
)

// Prediction is what a note expects of the numbers of a gate, in the language of
// package expr. There a - between letters is a subtraction; here it belongs to the
// name, since metrics have it in theirs: adam-ms < 30. With blanks around, it is
// the subtraction.
type Prediction struct {
	relation *expr.Expr
	metrics  map[string]string // by the name that the relation has for them
}

// ParsePrediction reads one.
func ParsePrediction(text string) (Prediction, error) {
	p := Prediction{metrics: make(map[string]string)}
	var flat strings.Builder
	for rest := text; rest != ""; {
		name := leadingName(rest)
		if name == "" {
			n := max(1, leadingNumber(rest))
			flat.WriteString(rest[:n])
			rest = rest[n:]
			continue
		}
		plain := strings.NewReplacer("-", "_", ".", "_").Replace(name)
		if other, ok := p.metrics[plain]; ok && other != name {
			return p, fmt.Errorf("names both %s and %s, which it cannot tell apart", other, name)
		}
		p.metrics[plain] = name
		flat.WriteString(plain)
		rest = rest[len(name):]
	}
	x, err := expr.Parse(flat.String())
	switch {
	case err != nil:
		return p, fmt.Errorf("is no relation: %s", p.inOwnWords(err))
	case len(x.Names()) == 0:
		return p, fmt.Errorf("names no metric, so that nothing could refute it")
	case len(x.Names()) > maxPredicted:
		return p, fmt.Errorf("names more than %d metrics: write several notes", maxPredicted)
	case alwaysHolds(x):
		return p, fmt.Errorf("holds for every value tried, so that nothing could refute it")
	}
	p.relation = x
	return p, nil
}

// inOwnWords is an error about a relation, with the metrics as they are called.
func (p Prediction) inOwnWords(err error) string {
	text := err.Error()
	var at *expr.Error
	if errors.As(err, &at) {
		text = at.Msg
	}
	for plain, name := range p.metrics {
		if plain != name {
			text = strings.ReplaceAll(text, plain, name)
		}
	}
	return text
}

// leadingName is the metric that a text begins with.
func leadingName(s string) string {
	at := 0
	for at < len(s) {
		c := s[at]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		inner := '0' <= c && c <= '9' || (c == '-' || c == '.') && at+1 < len(s) && isWord(s[at+1:at+2]) && s[at+1] != '-' && s[at+1] != '.'
		if !letter && !(at > 0 && inner) {
			break
		}
		at++
	}
	return s[:at]
}

// leadingNumber is the length of the number that a text begins with: 2e-5 has a
// letter in it that is no name.
func leadingNumber(s string) (n int) {
	for n < len(s) {
		c := s[n]
		sign := (c == '-' || c == '+') && n > 0 && (s[n-1] == 'e' || s[n-1] == 'E')
		if !('0' <= c && c <= '9') && !(n > 0 && (c == '.' || c == 'e' || c == 'E' || sign)) && !(c == '.' && n == 0) {
			return n
		}
		n++
	}
	return n
}

// Metrics are the names of the numbers that it is about, sorted.
func (p Prediction) Metrics() (names []string) {
	for _, name := range p.metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Holds says whether it came true for the values that each metric had, as texts. It
// must hold for all of them, each with each.
func (p Prediction) Holds(values map[string][]string) (bool, error) {
	names := p.relation.Names()
	times := 1
	for _, n := range names {
		many := len(values[p.metrics[n.Text]])
		if many == 0 {
			return false, fmt.Errorf("%s was not printed", p.metrics[n.Text])
		}
		if times *= many; times > maxTried {
			return false, fmt.Errorf("there are too many values to try each with each: expect less in one note")
		}
	}
	at := make(map[string]string)
	for pick := range times {
		for _, n := range names {
			list := values[p.metrics[n.Text]]
			at[n.Text] = list[pick%len(list)]
			pick /= len(list)
		}
		held, err := p.relation.Eval(at)
		if err != nil {
			return false, errors.New(p.inOwnWords(err))
		}
		if !held {
			return false, nil
		}
	}
	return true, nil
}
