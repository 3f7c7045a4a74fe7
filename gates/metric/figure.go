package metric

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// figures is how many significant digits of a number people are shown: as many as a
// float32 has, near enough, and more than a measurement is good for.
const figures = 6

// exact is beyond what a float64 tells apart.
const exact = 17

// wholeDigits is up to how many digits a whole number is written out: counts and
// bytes are exact, and 1.71799e10 is no size that anybody knows.
const wholeDigits = 15

// Format writes a number with all of its digits, as people do: 2e-5, 5, 0.25, 12345678.
func Format(v float64) string { return write(v, exact) }

// Figure writes a number for people, with six significant digits at most; a whole
// number has all of its own. Several that are to be held against each other are for
// Figures.
func Figure(v float64) string { return write(v, figures) }

// Figures writes numbers that stand in one sentence. Two that differ never look alike:
// then all have more digits.
func Figures(values ...float64) []string {
	for digits := figures; ; digits++ {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = write(v, digits)
		}
		if digits >= exact || toldApart(values, out) {
			return out
		}
	}
}

// toldApart says whether numbers that differ have texts that do.
func toldApart(values []float64, texts []string) bool {
	for i := range values {
		same := func(t string) bool { return t == texts[i] }
		for at := slices.IndexFunc(texts[:i], same); at >= 0 && at < i; at++ {
			if texts[at] == texts[i] && values[at] != values[i] {
				return false
			}
		}
	}
	return true
}

// Times writes how many times one number is another one, or a share: with three
// digits, and from a million on as 1e6.
func Times(v float64) string {
	const digits, million = 3, 6
	mantissa, at, ok := scientific(v, digits)
	switch {
	case !ok:
		return mantissa
	case at < -3 || at >= million:
		return mantissa + "e" + strconv.Itoa(at)
	}
	return trimZeros(strconv.FormatFloat(v, 'f', max(0, digits-1-at), 64))
}

// write is a number of so many significant digits; exact is as many as it takes.
func write(v float64, digits int) string {
	if digits >= exact {
		digits = 0 // the shortest that is read as the same number
	}
	mantissa, at, ok := scientific(v, digits)
	switch {
	case !ok:
		return mantissa
	case v == math.Trunc(v) && at < wholeDigits:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case at < -3 || at >= wholeDigits:
		return mantissa + "e" + strconv.Itoa(at)
	case digits == 0:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return trimZeros(strconv.FormatFloat(v, 'f', max(0, digits-1-at), 64))
}

// scientific is a number as mantissa and power of ten; ok is false for what is none,
// and mantissa its word.
func scientific(v float64, digits int) (mantissa string, at int, ok bool) {
	mantissa, exponent, finite := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	at, err := strconv.Atoi(exponent)
	if !finite || err != nil { // NaN and the infinities
		return strconv.FormatFloat(v, 'g', -1, 64), 0, false
	}
	return trimZeros(mantissa), at, true
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}
