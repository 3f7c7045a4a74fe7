package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// whole reads a whole number from least to most.
func (f *fields) whole(key string, least, most int, into *int) *entry {
	e := f.take(key)
	if e == nil {
		return nil
	}
	example := fmt.Sprintf("%s = %d", key, *into)
	if e.value.kind != isInteger {
		f.wrong(e, "a whole number", example)
		return nil
	}
	n, _ := strconv.ParseInt(e.value.text, 0, 64) // out of range it gives the nearest number
	switch {
	case n < int64(least):
		f.bad(e, "write "+example, "must be at least %d", least)
	case n > int64(most):
		f.bad(e, "write "+example, "must be at most %d", most)
	default:
		f.note(e)
		*into = int(n)
		return e
	}
	return nil
}

// number reads a finite number; the result is nil where there is none.
func (f *fields) number(key, example string) (*float64, *entry) {
	e := f.take(key)
	if e == nil {
		return nil, nil
	}
	if e.value.kind != isInteger && e.value.kind != isFloat {
		f.wrong(e, "a number", key+" = "+example)
		return nil, nil
	}
	n, err := parseNumber(e.value)
	if err != nil {
		f.bad(e, "write "+key+" = "+example, "%s", err)
		return nil, nil
	}
	f.note(e)
	return &n, e
}

func parseNumber(v *value) (float64, error) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(v.text, "_", ""), 64)
	if v.kind == isInteger {
		var i int64
		i, err = strconv.ParseInt(v.text, 0, 64) // knows 0x, 0o, 0b
		n = float64(i)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("is out of range: %s", clip(v.text))
	case math.IsInf(n, 0) || math.IsNaN(n):
		return 0, fmt.Errorf("must be finite, not %s", v.text)
	}
	return n, nil
}

// duration reads a length of time of at least least.
func (f *fields) duration(key string, least time.Duration, into *time.Duration) *entry {
	const hint = `write "30m", "90s" or "1h30m"`
	e := f.take(key)
	if e == nil {
		return nil
	}
	if e.value.kind != isString {
		f.wrong(e, "a duration in quotes", `"30m", "90s" or "1h30m"`)
		return nil
	}
	d, err := time.ParseDuration(e.value.text)
	switch {
	case err != nil:
		f.bad(e, hint, "is no duration: %s", quoted(e.value.text))
	case d < 0:
		f.bad(e, hint, "must not be negative")
	case d < least:
		f.bad(e, hint, "must be more than 0")
	default:
		f.note(e)
		*into = d
		return e
	}
	return nil
}

// size reads an amount of memory, in bytes.
func (f *fields) size(key string, into *int64) *entry {
	e := f.take(key)
	if e == nil {
		return nil
	}
	if e.value.kind != isString {
		f.wrong(e, "a size in quotes", `"28GiB"`)
		return nil
	}
	n, err := ParseSize(e.value.text)
	if err != nil {
		f.bad(e, `write "28GiB" or "512MiB"`, "%s", err)
		return nil
	}
	f.note(e)
	*into = n
	return e
}

// sizeUnits are the units of a size, the largest first. There is no MB: half
// of those who write it mean MiB.
func sizeUnits() []string { return []string{"TiB", "GiB", "MiB", "KiB", "B"} }

// ParseSize reads an amount of memory, such as "28GiB", "1.5MiB" or "512B", in
// bytes.
func ParseSize(s string) (int64, error) {
	bytes := math.Pow(1024, float64(len(sizeUnits())-1))
	for _, unit := range sizeUnits() {
		if number, ok := strings.CutSuffix(s, unit); ok {
			return sizeOf(s, number, bytes)
		}
		bytes /= 1024
	}
	return 0, fmt.Errorf("is no size: %s", quoted(s))
}

func sizeOf(s, number string, unit float64) (int64, error) {
	if number == "" || strings.Trim(number, "0123456789.") != "" && !strings.HasPrefix(number, "-") {
		return 0, fmt.Errorf("is no size: %s", quoted(s))
	}
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("is no size: %s", quoted(s))
	case n < 0:
		return 0, fmt.Errorf("must not be negative")
	case n*unit >= math.MaxInt64:
		return 0, fmt.Errorf("is more than any machine has: %s", quoted(s))
	case n*unit != math.Trunc(n*unit):
		return 0, fmt.Errorf("is no whole number of bytes: %s", quoted(s))
	}
	return int64(n * unit), nil
}
