package metric

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// parse turns printed text into a finite number that its unit allows.
func parse(text, unit string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
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

// What shows that a number goes on where the pattern stopped. "1,234" is one
// number where digits come in threes; "1,2,3" is a list.
var (
	cutTail = regexp.MustCompile(`^(?:[0-9]|\.[0-9]|[eE][-+]?[0-9]|,[0-9]{3}(?:[^0-9]|$))`)
	cutHead = regexp.MustCompile(`(?:^|[\s=:(\[,])[-]$|[0-9]\.?$|[0-9][eE][-+]?$`)
)

const ofNumbers = "+-.,0123456789eE"

// unitWord is a unit right behind a number.
var unitWord = regexp.MustCompile(`^ ?(ns|us|µs|ms|s|sec|B|[kKMGT]i?B|bytes)\b`)

// otherUnit says whether a number is printed in another unit than its metric's:
// "lat 5 s" read as milliseconds is a thousand times off.
func otherUnit(tail []byte, unit string) error {
	m := unitWord.FindSubmatch(tail[:min(len(tail), 16)])
	if m == nil || unit == "" || !slices.Contains(nonNegative, unit) {
		return nil
	}
	printed := strings.NewReplacer("µ", "u", "sec", "s", "bytes", "B").Replace(string(m[1]))
	if printed == unit {
		return nil
	}
	return fmt.Errorf("the number is in %s, the metric in %s: nothing is converted", m[1], unit)
}

// cut says whether the pattern took a piece out of a longer number: "1.2" out
// of "1.2e-3" is a hundred or a thousand times off, and a lost sign makes a
// negative time look sound.
func cut(line []byte, from, to int) error {
	tail, head := line[to:], line[max(0, from-3):from]
	first := line[from]
	if cutTail.Match(tail) || (first != '-' && first != '+' && cutHead.Match(head)) {
		a, b := from, to
		for a > 0 && strings.ContainsRune(ofNumbers, rune(line[a-1])) {
			a--
		}
		for b < len(line) && strings.ContainsRune(ofNumbers, rune(line[b])) {
			b++
		}
		return fmt.Errorf("the pattern reads %q out of %q: let the group `value` take the whole number, such as [-+0-9.eE]+", line[from:to], line[a:b])
	}
	return nil
}
