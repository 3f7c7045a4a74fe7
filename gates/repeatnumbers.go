package gates

import (
	"fmt"
	"gpuci/gates/metric"
	"math"
	"slices"
)

// worse says whether the spread of a is wider.
func worse(a, b *Unstable) bool {
	switch {
	case a.Limit == 0 || b.Limit == 0 || b.Spread == nil:
		return false // not by a spread, or beyond any
	case a.Spread == nil:
		return true
	}
	return *a.Spread > *b.Spread
}

// unread finds what was to be compared and was not there at all.
func (f *flow) unread(read map[string]bool) {
	for name := range f.repeats.Spread {
		if name != "" && !read[name] {
			f.find(Broken, fmt.Sprintf("spread names %s, and no run printed it", name))
			f.next("let the gate print it, or take it out of spread")
		}
	}
	if len(read) == 0 && len(f.repeats.Files) == 0 {
		f.find(Broken, "there is nothing to compare between the runs: no number was read")
		f.next("let the gate print its numbers (gpuci:metric name=… value=…), or name files that each run writes: identical = [\"out/*.bin\"]")
	}
}

// tracksOf are a series of each run; one that it is not in has an empty one.
func tracksOf(tapes []*tape, name trackName) []*track {
	tracks := make([]*track, len(tapes))
	for n, t := range tapes {
		if tracks[n] = t.tracks[name]; tracks[n] == nil {
			tracks[n] = &track{}
		}
	}
	return tracks
}

// most is how many numbers of a series a run gave, at most.
func most(tracks []*track) (n int) {
	for _, t := range tracks {
		n = max(n, t.count)
	}
	return n
}

// valuesOf is how many numbers of a metric a run gave, at most.
func valuesOf(tapes []*tape, metric string) (n int) {
	for _, t := range tapes {
		sum := 0
		for name, tr := range t.tracks {
			if name.metric == metric {
				sum += tr.count
			}
		}
		n = max(n, sum)
	}
	return n
}

// textUnstable holds the printed texts of a series against each other.
func textUnstable(name trackName, tracks []*track, whole []int) *Unstable {
	u := &Unstable{Kind: "metric", Name: name.metric, Labels: name.labels}
	title := name.metric + ofSeries(name.labels)
	counts := make([]string, len(tracks))
	same, cut := true, false
	for n, t := range tracks {
		counts[n] = plural(t.count, "value")
		same = same && t.count == tracks[0].count && t.sum == tracks[0].sum
		cut = cut || t.cut
	}
	if same {
		return nil // in whatever order: that is not what is asked for
	}
	if text, odd := grouped(counts, whole); text != "" {
		u.Runs, u.Text = odd, title+": "+text
		return u
	}
	first := -1
	at := func(k int) (texts []string) {
		for _, t := range tracks {
			texts = append(texts, t.texts[k])
		}
		return texts
	}
	for k := range tracks[0].count {
		if slices.ContainsFunc(tracks, func(t *track) bool { return k >= len(t.texts) }) {
			break
		}
		if texts := at(k); slices.ContainsFunc(texts, func(s string) bool { return s != texts[0] }) {
			if u.Differ++; first < 0 {
				first = k
			}
		}
	}
	if first < 0 { // beyond what was kept
		u.Text = fmt.Sprintf("%s: it differs, beyond the first %d values", title, len(tracks[0].texts))
		return u
	}
	var text string
	text, u.Runs = grouped(at(first), whole)
	u.Text = fmt.Sprintf("value %d%s: %s", first+1, ofSeries(name.labels), text)
	if cut {
		u.Text += " (only the first values were kept)"
	}
	return u
}

// spreadUnstable holds a series against its spread, value by value where every run
// gave as many, else its lowest and its highest ones.
func spreadUnstable(r *Repeat, name trackName, tracks []*track, whole []int, limit float64) *Unstable {
	title := name.metric + ofSeries(name.labels)
	var missing []int
	byIndex := true
	for n, t := range tracks {
		if t.count == 0 {
			missing = append(missing, whole[n]+1)
		}
		byIndex = byIndex && !t.cut && t.count == tracks[0].count
	}
	if len(missing) > 0 {
		return &Unstable{Kind: "metric", Name: name.metric, Labels: name.labels, Runs: missing, Text: title + ": no value in " + runsText(missing)}
	}
	widest, from, which := -1.0, []float64(nil), ""
	look := func(values []float64, what string) {
		if s := spreadOf(values); s > widest {
			widest, from, which = s, values, what
		}
	}
	row := func(of func(*track) float64) (out []float64) {
		for _, t := range tracks {
			out = append(out, of(t))
		}
		return out
	}
	if byIndex {
		for k := range tracks[0].count {
			what := ""
			if tracks[0].count > 1 {
				what = fmt.Sprintf("value %d ", k+1)
			}
			look(row(func(t *track) float64 { return t.values[k] }), what)
		}
	} else {
		look(row(func(t *track) float64 { return t.low }), "the lowest ")
		look(row(func(t *track) float64 { return t.high }), "the highest ")
	}
	u := &Unstable{Kind: "metric", Name: name.metric, Labels: name.labels, Limit: limit}
	if !math.IsInf(widest, 0) {
		u.Spread = &widest
	}
	low, high := slices.Min(from), slices.Max(from)
	spread, most := "beyond any factor, around 0", percentText(limit)
	if u.Spread != nil {
		spread, most = percentTexts(widest, limit)
	}
	u.Text = fmt.Sprintf("%s: %sfrom %s (run %d) to %s (run %d), a spread of %s, at most %s", title, which,
		metric.Format(low), whole[slices.Index(from, low)]+1, metric.Format(high), whole[slices.Index(from, high)]+1, spread, most)
	if widest > limit {
		return u
	}
	if r.Widest == nil || u.Spread != nil && *u.Spread/limit > *r.Widest.Spread/r.Widest.Limit {
		r.Widest = u
	}
	return nil
}
