package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// What better can be: which way a number improves.
const (
	BetterLower  = "lower"
	BetterHigher = "higher"
)

// maxWithin is more than anybody means: a number ten times its reference.
const maxWithin = 9

// within reads how much worse than its reference a number may be, and below
// what it says nothing.
func (f *fields) within(b *Bar) {
	e := f.percent("within", "5%", &b.Within)
	better := f.choice("better", &b.Better, `write better = "lower" or better = "higher"`, BetterLower, BetterHigher)
	since := f.moment("since", &b.Since)
	for _, e := range []*entry{better, since} {
		if f.table.get("within") == nil && e != nil {
			f.add(e.span, "add within, or leave the line out", "%q in %s means nothing without %q", e.key, f.label, "within")
		}
	}
	if e != nil && better == nil && f.table.get("better") == nil {
		f.improves(e, b)
	}
	if e != nil && b.Better == BetterHigher && b.Within >= 1 {
		f.bad(e, `write within = "5%"`, "must be below 100%% for a number that is better when higher: nothing could cross it")
	}
	f.floor(b)
}

// improves finds the way a number improves in the one limit it has.
func (f *fields) improves(e *entry, b *Bar) {
	least, most := f.table.get("min") != nil, f.table.get("max") != nil
	switch {
	case most && !least:
		b.Better = BetterLower
	case least && !most:
		b.Better = BetterHigher
	default:
		f.add(e.span, `add better = "lower" (a time, an error) or better = "higher" (a rate)`, "%q in %s does not say which way is worse", e.key, f.label)
	}
}

// floor reads the least number that the instrument can tell from nothing.
func (f *fields) floor(b *Bar) {
	var e *entry
	b.Floor, e = f.number("floor", "1e-9")
	switch most := f.table.get("max"); {
	case b.Floor == nil:
	case most != nil && (most.value.kind == isInteger || most.value.kind == isFloat):
		if n, err := parseNumber(most.value); err == nil && *b.Floor > n {
			f.bad(e, "write a floor below max", "is above max, so that nothing could hold it")
		}
	}
}

// moment reads a day, or a time of it.
func (f *fields) moment(key string, into *time.Time) *entry {
	example := key + ` = "2026-12-01" or "2026-12-01T14:00:00Z"`
	e := f.take(key)
	if e == nil {
		return nil
	}
	if e.value.kind != isString {
		f.wrong(e, "a day or a time in quotes", example)
		return nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, e.value.text); err == nil {
			f.note(e)
			*into = t.UTC()
			return e
		}
	}
	f.bad(e, "write "+example, "is no day and no time: %s", quoted(e.value.text))
	return nil
}

// percent reads a share that is written "5%".
func (f *fields) percent(key, example string, into *float64) *entry {
	hint := fmt.Sprintf("write %s = %q", key, example)
	e := f.take(key)
	if e == nil {
		return nil
	}
	if e.value.kind != isString {
		f.wrong(e, "a percentage in quotes", fmt.Sprintf("%s = %q", key, example))
		return nil
	}
	number, sign := strings.CutSuffix(e.value.text, "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || !sign || strings.Trim(number, "0123456789. ") != "":
		f.bad(e, hint, "is no percentage: %s", quoted(e.value.text))
	case n <= 0:
		f.bad(e, hint, "must be more than 0: no two runs give the same number")
	case n > 100*maxWithin:
		f.bad(e, hint, "must be at most %d%%", 100*maxWithin)
	default:
		f.note(e)
		*into = n / 100
		return e
	}
	return nil
}

func tomlPercent(share float64) string {
	return tomlString(strconv.FormatFloat(math.Round(share*1e10)/1e8, 'f', -1, 64) + "%")
}
