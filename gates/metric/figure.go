package metric

import (
	"math"
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

// Figures writes numbers that stand in one sentence. Two that differ never look alike,
// and not as if they differed by more or less than they do: then all have more digits.
func Figures(values ...float64) []string { return besides(values, figures, write) }

// besides writes numbers with so many digits, or as many more as tell them apart.
func besides(values []float64, digits int, write func(v float64, digits int) string) []string {
	for ; ; digits++ {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = write(v, digits)
		}
		if digits >= exact || toldApart(values, out) {
			return out
		}
	}
}

// toldApart says whether numbers that differ have texts that do, by about as
// much.
func toldApart(values []float64, texts []string) bool {
	const most = 1.5 // times by which a difference may look larger or smaller
	for i, a := range values {
		for n, b := range values[:i] {
			if a == b || math.IsNaN(a) || math.IsNaN(b) {
				continue
			}
			if texts[i] == texts[n] {
				return false
			}
			x, _ := strconv.ParseFloat(texts[i], 64)
			y, _ := strconv.ParseFloat(texts[n], 64)
			if share := (x - y) / (a - b); share < 1/most || share > most { // no number of what is infinite
				return false
			}
		}
	}
	return true
}

// timesFigures is how many digits a share has.
const timesFigures = 3

// Times writes how many times one number is another one, or a share: with three
// digits, and from a million on as 1e6. Several that are to be held against each other
// are for TimesBeside.
func Times(v float64) string { return writeTimes(v, timesFigures) }

// TimesBeside is Times of numbers that stand in one sentence: as Figures is to Figure.
func TimesBeside(values ...float64) []string { return besides(values, timesFigures, writeTimes) }

func writeTimes(v float64, digits int) string {
	const million = 6
	if digits >= exact {
		digits = 0 // the shortest that is read as the same number
	}
	mantissa, at, ok := scientific(v, digits)
	switch {
	case !ok:
		return mantissa
	case at < -3 || at >= wholeDigits || at >= million && digits == timesFigures:
		return mantissa + "e" + strconv.Itoa(at)
	case digits == 0:
		return strconv.FormatFloat(v, 'f', -1, 64)
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
