package falsify

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// staysBy is by how much a number may change that must not move: rounding and
// another order of sums do less, and a defect that reaches a number does more.
const staysBy = 10

// stays says whether a reading is where it was: within its bar, if it has one, and
// within a factor of ten either way of what it was without the fault, as a whole and
// in each of its series. One with a bar may also change by a hundredth of it, and a
// series by a hundredth of the largest: next to 0 a factor says nothing. what says how
// it moved.
func stays(bar *config.Bar, f float64, clean, now reading) (what string) {
	if bar != nil && f > 1 {
		return "it is over its bar"
	}
	room := 0.0
	if bar != nil {
		for _, limit := range []*float64{bar.Max, bar.Min} {
			if limit != nil {
				room = max(room, math.Abs(*limit)/100)
			}
		}
	}
	if what = near(clean.low, clean.high, now.low, now.high, room); what != "" {
		return what
	}
	room = max(room, math.Abs(clean.low)/100, math.Abs(clean.high)/100)
	for _, labels := range slices.Sorted(maps.Keys(clean.series)) {
		was, is := clean.series[labels], now.series[labels]
		if is.Count == 0 {
			continue // which is another matter, see lost
		}
		if what = near(was.Low, was.High, is.Low, is.High, room); what != "" {
			return "its series " + unlabelled(labels) + " " + strings.TrimPrefix(what, "it ")
		}
	}
	return ""
}

// near says how two pairs of the lowest and the highest are not near each other.
func near(wasLow, wasHigh, low, high, room float64) (what string) {
	for _, pair := range [][2]float64{{wasHigh, high}, {wasLow, low}} {
		was, is := pair[0], pair[1]
		ratio := is / was
		if was != is && math.Abs(is-was) > room && !(was != 0 && ratio >= 1.0/staysBy && ratio <= staysBy) {
			return went(was, is)
		}
	}
	return ""
}

// lost says what cannot be held against each other, as a run without the fault or one
// with it alone has it: "" where both have the same series.
func lost(clean, now reading) string {
	for _, x := range []struct {
		has, other reading
		where      string
	}{{clean, now, "with it"}, {now, clean, "without it"}} {
		if x.has.there && !x.other.there {
			return "was not given " + x.where
		}
		for _, labels := range slices.Sorted(maps.Keys(x.has.series)) {
			if _, both := x.other.series[labels]; !both && x.other.there {
				return "was not given " + x.where + " for " + unlabelled(labels)
			}
		}
	}
	if !clean.there {
		return "was not given"
	}
	return ""
}

func unlabelled(labels string) string { return cmp.Or(labels, "without labels") }

func went(was, is float64) string {
	n := metric.TimesBeside(was, is)
	return "it went from " + n[0] + " to " + n[1]
}
