package gates

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/history"
)

// maxApart is how many greens of a gate are looked through for one of another series.
const maxApart = 100

// apart says by which settings the last green of the base branch that has a metric is of
// another series, "profile release → bench"; "" where there is none, or nobody can tell.
func (f *flow) apart(ctx context.Context, b config.Bar) string {
	r := f.against
	q := history.Query{Gate: f.gate.Name, Outcomes: []string{"green"}, Since: b.Since, Believed: true, Limit: maxApart}
	for was, err := range r.store.Results(ctx, q) {
		if err != nil {
			return ""
		}
		p := history.Point{Commit: was.Commit}
		if was.Run == f.v.Run || !hasMetric(was, b.Metric) || r.ask(ctx, []history.Point{p}) != nil || !r.counts(p) {
			continue
		}
		var parts []string
		for _, s := range [][3]string{{"profile", was.Profile, f.gate.Profile}, {"backend", was.Backend, f.gate.Backend}} {
			if s[1] != s[2] {
				parts = append(parts, fmt.Sprintf("%s %s → %s", s[0], cmp.Or(s[1], "none"), cmp.Or(s[2], "none")))
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

func hasMetric(r history.Result, name string) bool {
	for _, m := range r.Metrics {
		if m.Metric == name {
			return true
		}
	}
	return false
}
