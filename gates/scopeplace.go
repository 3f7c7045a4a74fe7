package gates

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/config"
)

// spot is one place on an axis. Numbers are one and the same however they are
// written, 4 and 4.0; what stands in quotes in gpuci.toml is its text and nothing
// else, "2.1" and "2.10". The text tells one place from another.
type spot struct {
	text   string
	number float64 // for the order and for distances; NaN where it is none
}

var wholeNumber = regexp.MustCompile(`^[-+]?[0-9]{1,100}$`)

// spotOf is a place as gpuci.toml has it, or as a spot says it itself.
func spotOf(v any) spot {
	switch v := v.(type) {
	case string:
		return spot{v, readSpot(v).number}
	case float64:
		return readSpot(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return readSpot(fmt.Sprint(v))
}

// readSpot reads a place as the output has it, which has no quotes.
func readSpot(text string) spot {
	if wholeNumber.MatchString(text) {
		n, _ := new(big.Int).SetString(text, 10)
		f, _ := new(big.Float).SetInt(n).Float64()
		return spot{n.String(), f}
	}
	f, err := strconv.ParseFloat(text, 64)
	const short = 1e21 // whole numbers below this are written without an exponent
	switch {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(text, "xX_"):
		return spot{text, math.NaN()}
	case f == math.Trunc(f) && math.Abs(f) < short:
		return spot{wholeText(f), f}
	}
	return spot{strconv.FormatFloat(f, 'g', -1, 64), f}
}

// wholeText writes a whole number; -0 is 0.
func wholeText(f float64) string {
	if f == 0 {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// quoted are the places of an axis that stand in quotes.
func quoted(a config.Axis) map[string]bool {
	out := make(map[string]bool)
	for _, v := range slices.Concat(a.Covered, a.Production) {
		if text, ok := v.(string); ok {
			out[text] = true
		}
	}
	return out
}

// readAmong reads a place of the output on an axis that has some in quotes: it is one
// of these by its very text alone.
func readAmong(text string, quoted map[string]bool) spot {
	sp := readSpot(text)
	if quoted[text] || quoted[sp.text] {
		return spot{text, sp.number}
	}
	return sp
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
		if !math.IsInf(nearest, 0) && nearest > 1 { // "2.1" and "2.10" are two names
			most = max(most, nearest)
		}
	}
	return most
}
