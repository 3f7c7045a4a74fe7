package metric

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Sample is one number a gate gave.
type Sample struct {
	Metric string            `json:"metric"`
	Value  float64           `json:"value"`
	Text   string            `json:"text"` // as printed
	Unit   string            `json:"unit,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Series is the labels as one text, sorted: numbers are compared only within
// one metric and one series. Values that could run into the next label are
// quoted, so that two sets of labels are never one text.
func (s Sample) Series() string {
	keys := make([]string, 0, len(s.Labels))
	for k := range s.Labels {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		v := s.Labels[k]
		if v == "" || strings.ContainsFunc(v, func(r rune) bool { return r == '"' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
			v = strconv.Quote(v)
		}
		keys[i] = k + "=" + v
	}
	return strings.Join(keys, " ")
}

// notNumber begins a text that stands for a number that is not finite.
var notNumber = regexp.MustCompile(`(?i)nan|inf`)

// parse turns printed text into a finite number that its unit allows.
func parse(text, unit string) (float64, error) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, minus, "-"), 64)
	switch {
	case err != nil && math.IsInf(v, 0):
		return v, fmt.Errorf("%s is beyond a float64", text)
	case err != nil:
		return v, fmt.Errorf("%q is not a number", text)
	case v == 0 && significant(text):
		return v, fmt.Errorf("%s is no number that can be held: a float64 has none so near to 0", text)
	case math.IsNaN(v):
		return v, fmt.Errorf("the value is NaN")
	case math.IsInf(v, 0):
		return v, fmt.Errorf("the value is infinite")
	case v < 0 && nonNegative(unit):
		return v, fmt.Errorf("%s is below zero, which no value in %s can be", text, unit)
	}
	return v, nil
}

// significant says whether a number as printed has a digit other than 0 before
// its exponent: strconv makes 0 of one that is too small, and no error.
func significant(text string) bool {
	text = strings.ToLower(text)
	digits, exponent := "123456789", "e"
	if strings.Contains(text, "0x") {
		digits, exponent = "123456789abcdef", "p"
	}
	mantissa, _, _ := strings.Cut(text, exponent)
	return strings.ContainsAny(mantissa, digits)
}
