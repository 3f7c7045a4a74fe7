package gates

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// judgeRepeats puts the runs together, and looks once at what they share: the build
// products, and whether numbers have anything to be held against.
func (f *flow) judgeRepeats(ctx context.Context) {
	failed := false
	var products []string
	for _, r := range f.repeats.done {
		failed = failed || r.failed
		products = append(products, r.counts.Products...)
	}
	f.products(ctx, products, failed)
	f.mergeRepeats(ctx)
	if !failed {
		f.firsts()
		f.gone(ctx)
	}
}

// mergeRepeats makes one verdict of all runs. Numbers are those of all of them, and
// the worst decides; none is averaged.
func (f *flow) mergeRepeats(ctx context.Context) {
	done := f.repeats.done
	r := &Repeat{Times: f.repeats.Times, Runs: []RepeatRun{}}
	f.v.Repeat = r
	f.v.Scope = nil
	deciding := -1
	for i := range done {
		d := &done[i]
		outcome := worstOf(d)
		r.Runs = append(r.Runs, RepeatRun{
			Run: i + 1, Outcome: outcome, Exit: d.run.Exit, Signal: d.run.Signal, Seconds: d.run.Seconds, Tests: d.tests, Log: d.log,
		})
		if deciding < 0 && outcome != Green {
			deciding = i
		}
		f.v.Bars = mergeBars(f.v.Bars, d.bars)
		f.v.Witnesses = mergeWitnesses(f.v.Witnesses, d.witnesses)
		f.v.Metrics = mergeMetrics(f.v.Metrics, d.metrics)
		f.v.Scope = mergeScope(f.v.Scope, d.scope)
		f.v.Tests = fewerTests(f.v.Tests, d.tests)
	}
	if len(done) == 0 {
		return
	}
	at := &done[max(deciding, 0)]
	if f.run != nil && f.run.why == byItself { // else the one that ended it decides
		f.v.Log = at.log
		run := at.run
		f.run, f.v.Command = &run, &run.Ended
	}
	f.compareRepeats(r)
	f.mergeMarks(done)
	f.mergeFindings(done, r)
	f.tellUnstable(r)
	f.repeats.files.close(len(r.Unstable) > 0)
	if len(r.Unstable) == 0 {
		f.repeats.reports.drop()
	}
}

// digits are what two runs may say otherwise while they say the same.
var digits = regexp.MustCompile(`[-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?`)

// alike is a text without its numbers.
func alike(text string) string { return digits.ReplaceAllString(strings.ToLower(text), "#") }

// mergeFindings says every reason once. What only some of the runs were found to be
// is no verdict on the gate's work but on its steadiness: it is red by that, be it
// broken in those runs or red; unless gpuci was late.
func (f *flow) mergeFindings(done []repetition, r *Repeat) {
	type reason struct {
		Finding
		runs []int
	}
	var all []*reason
	whole := 0
	for i, d := range done {
		if d.run.why == byItself {
			whole++
		}
		for _, x := range d.findings {
			if d.run.why != byItself { // it says itself which run it is of
				f.find(x.Outcome, x.Text)
				continue
			}
			at := slices.IndexFunc(all, func(o *reason) bool { return o.Outcome == x.Outcome && alike(o.Text) == alike(x.Text) })
			switch {
			case at < 0:
				all = append(all, &reason{x, []int{i + 1}})
			case !slices.Contains(all[at].runs, i+1):
				all[at].runs = append(all[at].runs, i+1)
			}
		}
		for _, n := range d.next {
			f.next(n)
		}
	}
	for _, x := range all {
		some := len(x.runs) < whole && (x.Outcome == Red || x.Outcome == Broken) && !isLate(x.Finding)
		switch {
		case some && f.saidUnstable(r, x.Text):
		case some:
			text := fmt.Sprintf("%s of %d only: %s", runsText(x.runs), len(done), x.Text)
			f.find(Red, "unstable: "+text)
			r.Unstable = append(r.Unstable, Unstable{Kind: "finding", Name: string(x.Outcome), Runs: x.runs, Text: text})
		case len(done) > 1 && len(x.runs) == len(done):
			f.find(x.Outcome, fmt.Sprintf("%s (in each of %d runs)", x.Text, len(done)))
		default:
			f.find(x.Outcome, fmt.Sprintf("%s (%s of %d)", x.Text, runsText(x.runs), len(done)))
		}
	}
}

// saidUnstable says that a reason is the failure of tests that are named already.
func (f *flow) saidUnstable(r *Repeat, text string) bool {
	_, names, ok := strings.Cut(text, " failed: ")
	if !ok {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, " and more"), ", ") {
		if !slices.ContainsFunc(r.Unstable, func(u Unstable) bool { return u.Kind == "test" && u.Name == name }) {
			return false
		}
	}
	return true
}

// mergeMarks says every mark once, and where it is not of all runs, of which.
func (f *flow) mergeMarks(done []repetition) {
	var texts []string
	runs := make(map[string][]int)
	for i, d := range done {
		for _, m := range d.marks {
			if runs[m] == nil {
				texts = append(texts, m)
			}
			runs[m] = append(runs[m], i+1)
		}
	}
	for _, m := range texts {
		if len(runs[m]) < len(done) {
			m += fmt.Sprintf(" (%s of %d)", runsText(runs[m]), len(done))
		}
		f.mark(m)
	}
}

// runsText names runs: "run 3", "runs 1, 2 and 4".
func runsText(runs []int) string {
	const most = 8
	var words []string
	for _, n := range runs[:min(most, len(runs))] {
		words = append(words, fmt.Sprint(n))
	}
	switch last := len(words) - 1; {
	case len(runs) == 1:
		return "run " + words[0]
	case len(runs) > most:
		return fmt.Sprintf("runs %s and %d more", strings.Join(words, ", "), len(runs)-most)
	default:
		return fmt.Sprintf("runs %s and %s", strings.Join(words[:last], ", "), words[last])
	}
}
