package gates

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// spot is one place on an axis. Numbers are one and the same however they are
// written: 4, 4.0 and "4".
type spot struct {
	text   string
	number float64 // NaN where it is none
}

var wholeNumber = regexp.MustCompile(`^[-+]?[0-9]{1,18}$`)

// spotOf reads a place as gpuci.toml or the output has it.
func spotOf(v any) spot {
	text := fmt.Sprint(v)
	if f, ok := v.(float64); ok {
		text = strconv.FormatFloat(f, 'g', -1, 64)
	}
	if wholeNumber.MatchString(text) {
		n, _ := strconv.ParseInt(text, 10, 64)
		return spot{strconv.FormatInt(n, 10), float64(n)}
	}
	f, err := strconv.ParseFloat(text, 64)
	const exact = 1e15 // whole float64 below this are written without an exponent
	switch {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(text, "xX_"):
		return spot{text, math.NaN()}
	case f == math.Trunc(f) && math.Abs(f) < exact:
		return spot{strconv.FormatFloat(f, 'f', -1, 64), f}
	}
	return spot{strconv.FormatFloat(f, 'g', -1, 64), f}
}

func spotsOf[T any](list []T) (out []spot) {
	for _, v := range list {
		out = append(out, spotOf(v))
	}
	return tidy(out)
}

// tidy sorts places, numbers first, each once.
func tidy(list []spot) []spot {
	slices.SortFunc(list, func(a, b spot) int {
		an, bn := math.IsNaN(a.number), math.IsNaN(b.number)
		switch {
		case an != bn && an:
			return 1
		case an != bn:
			return -1
		case !an && a.number != b.number:
			return cmp.Compare(a.number, b.number)
		}
		return strings.Compare(a.text, b.text)
	})
	return slices.CompactFunc(list, func(a, b spot) bool { return a.text == b.text })
}

// without are the places of a list that another has not.
func without(list, other []spot) (out []spot) {
	have := make(map[string]bool, len(other))
	for _, s := range other {
		have[s.text] = true
	}
	for _, s := range list {
		if !have[s.text] {
			out = append(out, s)
		}
	}
	return out
}

func texts(list []spot) (out []string) {
	for _, s := range list {
		out = append(out, s.text)
	}
	return out
}

// SpotsText shows places in few words: four whole numbers or more without a gap are
// a range, and of very many only the first are named.
func SpotsText(list []string, between string) string {
	const most = 12
	var words []string
	for i := 0; i < len(list); {
		end := i
		for n, err := strconv.ParseInt(list[i], 10, 64); err == nil && end+1 < len(list) && list[end+1] == strconv.FormatInt(n+1, 10); n++ {
			end++
		}
		if end-i >= 3 {
			words = append(words, list[i]+".."+list[end])
			i = end + 1
			continue
		}
		words = append(words, list[i])
		i++
	}
	if len(words) > most {
		words = append(words[:most:most], fmt.Sprintf("… (%d in all)", len(list)))
	}
	return strings.Join(words, between)
}

// farthest is how far the farthest of some places is from the nearest that is
// covered, as a factor: 8 for 32 where 4 is the most. 0 where there is no telling:
// names, zero, numbers on two sides of it.
func farthest(missing, covered []spot) (most float64) {
	for _, m := range missing {
		nearest := math.Inf(1)
		for _, c := range covered {
			if ratio := m.number / c.number; ratio > 0 && !math.IsInf(ratio, 0) { // no NaN is
				nearest = min(nearest, max(ratio, 1/ratio))
			}
		}
		if !math.IsInf(nearest, 0) {
			most = max(most, nearest)
		}
	}
	return most
}
