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

// CheckRule says why a rule cannot be met by any samples.
func CheckRule(r Rule) error {
	empty := judge.Session{Plan: judge.Plan{Control: "a", Arm: "b", Seed: 1}}
	_, err := judge.Judge(empty, judge.Metric{Name: "time", Better: judge.Lower}, r.Rule)
	return err
}
