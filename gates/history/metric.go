package history

import "slices"

// Metric is what one result gave of one metric with one set of labels: so many
// numbers, and the lowest, highest and last of them.
type Metric struct {
	Metric string   `json:"metric"`
	Labels string   `json:"labels,omitempty"` // "k=v k=v", sorted
	Unit   string   `json:"unit,omitempty"`
	Count  int      `json:"count"`
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Last   *float64 `json:"last,omitempty"`  // nil where it was not written down
	First  bool     `json:"first,omitempty"` // it became the reference
}

// Series is what numbers must have in common to be compared. The unit belongs to
// it: a metric that is printed in ms today and was in s last year has no course
// through both.
type Series struct {
	Gate    string `json:"gate"`
	Metric  string `json:"metric"`
	Labels  string `json:"labels,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Backend string `json:"backend,omitempty"`
	Card    string `json:"card,omitempty"`
	Profile string `json:"profile,omitempty"`
}

// Series is the series that a metric of this result belongs to.
func (r Result) Series(m Metric) Series {
	return Series{r.Gate, m.Metric, m.Labels, m.Unit, r.Backend, r.Card, r.Profile}
}

// merged makes one of metrics that belong to one series, the later one's last
// number being the last.
func merged(list []Metric) []Metric {
	var out []Metric
	for _, m := range list {
		i := slices.IndexFunc(out, func(o Metric) bool {
			return o.Metric == m.Metric && o.Labels == m.Labels && o.Unit == m.Unit
		})
		if i < 0 {
			out = append(out, m)
			continue
		}
		o := &out[i]
		o.Count += m.Count
		o.Low, o.High, o.Last = min(o.Low, m.Low), max(o.High, m.High), m.Last
		o.First = o.First || m.First
	}
	return out
}
