package gates

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/trace"
)

// maxUnstable bounds what is listed of all that differs; the rest is counted.
const maxUnstable = 10

// isLate says of a reason that it is gpuci's own: it could not tell the steps of a run apart.
func isLate(x Finding) bool { return x.Outcome == Broken && strings.Contains(x.Text, trace.CannotTell) }

// compareRepeats finds in what the runs that came to their own end differ. One whose steps
// could not be told apart has lost numbers, and is like no other.
func (f *flow) compareRepeats(r *Repeat) {
	var whole []int // their indexes
	for i, d := range f.repeats.done {
		if d.run.why == byItself && !slices.ContainsFunc(d.findings, isLate) {
			whole = append(whole, i)
		}
	}
	if len(whole) < 2 {
		return
	}
	f.compareTests(r, whole)
	f.compareNumbers(r, whole)
	f.repeats.files.compare(r)
}

// grouped says which runs gave what: "12 in runs 1 and 2, 11 in run 3". odd are the
// runs that are not in the largest group. It is "" where all gave the same.
func grouped(what []string, whole []int) (text string, odd []int) {
	by := make(map[string][]int)
	var order []string
	for n, w := range what {
		if by[w] == nil {
			order = append(order, w)
		}
		by[w] = append(by[w], whole[n]+1)
	}
	if len(order) < 2 {
		return "", nil
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(by[b]) - len(by[a]) })
	const most = 4
	var parts []string
	for n, w := range order {
		if n < most {
			parts = append(parts, w+" in "+runsText(by[w]))
		}
		if n > 0 {
			odd = append(odd, by[w]...)
		}
	}
	if len(order) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(order)-most))
	}
	slices.Sort(odd)
	return strings.Join(parts, "; "), odd
}

// compareNumbers holds every series of every metric against itself in the other
// runs: letter by letter, or by its spread.
func (f *flow) compareNumbers(r *Repeat, whole []int) {
	opt := f.repeats.Repeat
	if !opt.Identical && len(opt.Spread) == 0 {
		return
	}
	var tapes []*tape
	for _, i := range whole {
		tapes = append(tapes, f.repeats.done[i].tape)
	}
	by := make(map[string]*Unstable) // the worst of each metric, with what all its series add up to
	var order []string
	read := make(map[string]bool)
	for _, name := range seriesOf(tapes) {
		read[name.metric] = true
		limit, spread := opt.Spread[name.metric]
		if !spread {
			limit, spread = opt.Spread[""]
		}
		if !spread && !opt.Identical {
			continue
		}
		tracks := tracksOf(tapes, name)
		r.Values += most(tracks)
		var u *Unstable
		if spread {
			r.Spread += most(tracks)
			u = spreadUnstable(r, name, tracks, whole, limit)
		} else {
			u = textUnstable(name, tracks, whole)
		}
		if u == nil {
			continue
		}
		if had := by[name.metric]; had == nil {
			by[name.metric] = u
			order = append(order, name.metric)
		} else {
			differ, of := had.Differ+u.Differ, had.Of+u.Of
			if worse(u, had) {
				by[name.metric] = u
			}
			by[name.metric].Differ, by[name.metric].Of = differ, of
		}
	}
	for _, name := range order {
		u := by[name]
		if u.Differ > 0 {
			u.Of = valuesOf(tapes, name)
			u.Text = fmt.Sprintf("%s: %d of %s %s, the first: %s", name, u.Differ, plural(u.Of, "value"), differ(u.Differ), u.Text)
		}
		r.Unstable = append(r.Unstable, *u)
	}
	f.unread(read)
}

// tellUnstable makes findings of what differs.
func (f *flow) tellUnstable(r *Repeat) {
	if len(r.Unstable) == 0 {
		return
	}
	var told []Finding
	for _, u := range r.Unstable {
		if u.Kind == "finding" { // that is one already
			continue
		}
		if len(told) < maxUnstable {
			told = append(told, Finding{Red, "unstable: " + u.Text})
		}
	}
	if n := len(r.Unstable) - len(told); len(told) == maxUnstable && n > 0 {
		told = append(told, Finding{Red, fmt.Sprintf("unstable: and %d more", n)})
	}
	f.v.Findings = append(told, f.v.Findings...)
	for _, u := range r.Unstable {
		if u.Kind == "file" {
			f.next(fmt.Sprintf("what differs of the files is kept: %s/files-1 and files-N, N being the run", f.v.Dir))
		}
	}
	r.Unstable = r.Unstable[:min(len(r.Unstable), 50*maxUnstable)]
	f.next(fmt.Sprintf("the same run gave two results: look for what depends on order, time, an address or a seed; the logs of all runs are in %s", f.v.Dir))
}
