package falsify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// steady says whether what one trial showed needs no second one. A repeat whose runs
// are all red has had several, and so has a comparison with the base. And of a data race a second run may well see nothing,
// though it is there: a tool that tells of one has seen it.
func steady(f config.Fault, v gates.Verdict) bool {
	if word, name, _ := strings.Cut(f.Must, ":"); word == config.MustFind && strings.EqualFold(name, raceName) {
		return true
	}
	if slices.ContainsFunc(v.Compared, func(c gates.Compared) bool { return c.Verdict == gates.ComparedWorse }) {
		return true
	}
	return v.Repeat != nil && len(v.Repeat.Runs) > 1 &&
		!slices.ContainsFunc(v.Repeat.Runs, func(r gates.RepeatRun) bool { return r.Outcome != gates.Red })
}

// twice has the gate judge a fault again that is in the scratch lane. A gate that is
// red now and then would show whatever is planted, be it by its exit status, a number
// a hundred times beyond its bar, a witness or a test that is named: a kernel that
// reads what it never wrote does all of that. One that goes wrong half of the time is
// taken for sound in one of eight cases, together with the run without a fault that
// follows; with one trial it would be in one of four, and a rarer one, of one run in
// ten, in one of a hundred and not of ten. It costs a run, and no build: nothing has
// changed. Ten faults of a Rust crate take a third more time by that; of a gate that
// runs for minutes the price is as many minutes a fault, once in a falsification.
func (s *session) twice(ctx context.Context, p *Planted) error {
	v, err := s.trial(ctx, s.gate(), "fault "+p.Fault+", again")
	if err != nil || ctx.Err() != nil {
		return err
	}
	again := judged(s.gate(), p.fault, s.clean, v)
	if again.Outcome == gates.FaultCaught {
		return nil
	}
	why := fmt.Sprintf("the gate goes by chance: it is %s with it, and %s when it is run again", p.Gate, v.Outcome)
	if p.Gate == string(v.Outcome) {
		why = "the gate goes by chance: it shows it, and when it is run again, " + again.Why
	}
	p.answer(gates.FaultBroken, why, "repeat = 5 in the gate shows how often; see "+p.Log+" and "+v.Log)
	return nil
}
