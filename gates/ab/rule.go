package ab

import (
	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
)

// RuleOf is what [bank] asks of a comparison.
func RuleOf(b config.Bank) Rule {
	return Rule{
		Rule: judge.Rule{
			Samples: b.Samples, Most: b.Most, Seeds: b.Seeds, Confidence: b.Confidence, Least: b.Least, Seek: b.Seek, MostThrown: b.MostThrown,
		},
		Warm: b.Warm,
	}
}

// CheckRule says why a rule cannot be met by any samples, where so many comparisons, each of
// so many metrics, are made by it.
func CheckRule(r Rule, comparisons, metrics int) error {
	r.Among = max(1, comparisons) * max(1, metrics)
	empty := judge.Session{Plan: judge.Plan{Control: "a", Arm: "b", Seed: 1}}
	_, err := judge.Judge(empty, judge.Metric{Name: "time", Better: judge.Lower}, r.Rule)
	return err
}
