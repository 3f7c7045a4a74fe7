package config

import (
	"fmt"
	"strings"
)

// Selector picks numbers of a run: those of a metric, or only those that carry
// some labels. It is written "worst-rel" or "worst-rel term=d_g chunks=4".
type Selector struct {
	Metric string
	Labels map[string]string // nil for all
}

// ParseSelector reads one.
func ParseSelector(text string) (Selector, error) {
	words := strings.Fields(text)
	if len(words) == 0 || !isWord(words[0]) {
		return Selector{}, fmt.Errorf("names no metric: %s", quoted(text))
	}
	s := Selector{Metric: words[0]}
	for _, w := range words[1:] {
		key, val, ok := strings.Cut(w, "=")
		if !ok || key == "" || val == "" {
			return s, fmt.Errorf("has %s where a label belongs, as in worst-rel term=d_g", quoted(w))
		}
		if s.Labels == nil {
			s.Labels = make(map[string]string)
		}
		if _, twice := s.Labels[key]; twice {
			return s, fmt.Errorf("says the label %s twice", quoted(key))
		}
		s.Labels[key] = val
	}
	return s, nil
}

// selector checks one in a file.
func (f *fields) selector(e *entry, v *value) (Selector, bool) {
	s, err := ParseSelector(v.text)
	if err != nil {
		f.add(v.span, `write a metric, and labels after it: "worst-rel term=d_g"`, "%q in %s %s", e.key, f.label, err)
	}
	return s, err == nil
}
