package gates

import "slices"

// Spoil makes a verdict broken for a reason that came up behind its run: what was judged
// is not what was to be, or cannot be looked up. A verdict that was bad by itself stays so.
func (v *Verdict) Spoil(text, next string) {
	v.Findings = slices.Insert(slices.Clone(v.Findings), 0, Finding{Broken, text})
	if next != "" && !slices.Contains(v.Next, next) {
		v.Next = append(slices.Clone(v.Next), next)
	}
	switch v.Outcome {
	case Green, KnownRed, Attention:
		v.Outcome, v.Exit = Broken, Broken.ExitCode()
	}
}
