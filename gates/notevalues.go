package gates

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"gpuci/gates/metric"
	"gpuci/gates/notes"
)

// predicted holds what a note expects against this run, where that ran to its end
// and as a whole.
func (f *flow) predicted(s *notes.Standing) {
	if s.Expects == "" || f.v.Partial || f.run == nil || f.run.why != byItself || !f.run.ok() {
		return
	}
	s.Predict(f.values())
}

// values are all that a run printed of each metric, from the lowest on, each once.
// Beyond what is kept of a run they are the lowest and the highest of each series.
func (f *flow) values() map[string][]string {
	all := make(map[string][]float64)
	for _, m := range f.v.Metrics {
		all[m.Metric] = append(all[m.Metric], m.Low.Value, m.High.Value)
		for _, s := range m.Series {
			all[m.Metric] = append(all[m.Metric], s.Low, s.High)
		}
	}
	if f.rec != nil && f.rec.samples <= maxSamples {
		for s := range samplesIn(f.rec.dir) {
			all[s.Metric] = append(all[s.Metric], s.Value)
		}
	}
	out := make(map[string][]string)
	for name, list := range all {
		slices.Sort(list)
		for _, v := range slices.Compact(list) {
			out[name] = append(out[name], metric.Format(v))
		}
	}
	return out
}

// samplesIn reads the numbers that a run has written down so far.
func samplesIn(dir string) iter.Seq[metric.Sample] {
	return func(yield func(metric.Sample) bool) {
		file, err := os.Open(filepath.Join(dir, "metrics.jsonl"))
		if err != nil {
			return // it printed none
		}
		defer file.Close()
		for dec := json.NewDecoder(file); ; {
			var s metric.Sample
			if dec.Decode(&s) != nil || !yield(s) {
				return
			}
		}
	}
}
