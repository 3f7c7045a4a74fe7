package metric

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
// one metric and one series.
func (s Sample) Series() string {
	keys := make([]string, 0, len(s.Labels))
	for k := range s.Labels {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		keys[i] = k + "=" + s.Labels[k]
	}
	return strings.Join(keys, " ")
}

// units that cannot be below zero: times, sizes, counts.
var nonNegative = []string{"ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB", "count"}

// suffixes of a metric's name that imply one of those units.
var suffixUnit = map[string]string{
	"ns": "ns", "us": "us", "ms": "ms", "s": "s", "sec": "s", "seconds": "s",
	"b": "B", "bytes": "B", "kib": "KiB", "mib": "MiB", "gib": "GiB",
	"count": "count", "launches": "count", "allocs": "count", "calls": "count",
}

// UnitOf returns the unit given, or the one that the metric's last word says
// ("bwd-ms", "peak_bytes"), or none.
func UnitOf(metric, unit string) string {
	if unit != "" {
		return unit
	}
	if i := strings.LastIndexAny(metric, "-_."); i >= 0 {
		return suffixUnit[strings.ToLower(metric[i+1:])]
	}
	return ""
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
	case math.IsNaN(v):
		return v, fmt.Errorf("the value is NaN")
	case math.IsInf(v, 0):
		return v, fmt.Errorf("the value is infinite")
	case v < 0 && slices.Contains(nonNegative, unit):
		return v, fmt.Errorf("%s is below zero, which no value in %s can be", text, unit)
	}
	return v, nil
}

// unitWord is a unit right behind a number.
var unitWord = regexp.MustCompile(`^ ?(ns|us|µs|μs|ms|s|sec|B|[kKMGT]i?B|bytes)\b`)

// printedUnit is the unit right behind a number, or none.
func printedUnit(tail []byte) string {
	m := unitWord.FindSubmatch(tail[:min(len(tail), 16)])
	if m == nil {
		return ""
	}
	switch unit := string(m[1]); unit {
	case "µs", "μs":
		return "us"
	case "sec":
		return "s"
	case "bytes":
		return "B"
	default:
		return unit
	}
}

// hasUnit says whether a number is followed by this very unit.
func hasUnit(tail []byte, unit string) bool {
	if unit == "" {
		return false
	}
	rest, ok := bytes.CutPrefix(tail, []byte(unit))
	next, _ := utf8.DecodeRune(rest)
	return ok && !word(next) || printedUnit(tail) == unit
}

// otherUnit says whether a number is printed in another unit than its metric's:
// "lat 5 s" read as milliseconds is a thousand times off.
func otherUnit(tail []byte, unit string) error {
	printed := printedUnit(tail)
	if printed == "" || printed == unit || !slices.Contains(nonNegative, unit) {
		return nil
	}
	return fmt.Errorf("the number is in %s, the metric in %s: nothing is converted", printed, unit)
}
