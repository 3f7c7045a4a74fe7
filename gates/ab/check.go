package ab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/inputs"
)

// checkAll builds the arms, each in its scratch lane, and has the whole gate judge each:
// what is not green is not timed. on is whether the way goes on.
func (s *session) checkAll(ctx context.Context) (on bool, err error) {
	for _, d := range s.sides {
		v, err := s.check(ctx, d)
		if err != nil || ctx.Err() != nil {
			return false, err
		}
		if !s.right(d, v, "") {
			return false, nil
		}
		if err := s.settle(ctx, d, v); err != nil {
			return false, err
		}
	}
	return s.apart(), nil
}

// check runs the gate in an arm as it is, build and all.
func (s *session) check(ctx context.Context, d *side) (gates.Verdict, error) {
	g, err := s.checked(d)
	if err != nil {
		return gates.Verdict{}, err
	}
	s.o.Note("build arm " + d.label() + ", and see whether it is right")
	v, err := s.run(ctx, d, g, "check of arm "+d.label(), s.log().Plan.Round(beforeAll)[0].Seed, false)
	if err == nil && ctx.Err() == nil {
		s.o.Note(fmt.Sprintf("arm %s: %s in %s", d.label(), v.Outcome, lasted(v.Seconds)))
	}
	return v, err
}

// run runs a gate in an arm's scratch lane.
func (s *session) run(ctx context.Context, d *side, g config.Gate, what string, seed uint64, sample bool) (gates.Verdict, error) {
	opt, err := s.o.Prepare(d.lane, d.root)
	if err != nil {
		return gates.Verdict{}, err
	}
	opt.Gate, opt.Root, opt.Lane, opt.Trial, opt.Sample = g, d.root, d.lane, what, sample
	opt.As = gates.As{Lane: s.o.Lane.Name}
	opt.Env = slices.Concat(opt.Env, d.scratch.Env, d.Env, []string{fmt.Sprintf("%s=%d", seedVar, seed)})
	opt.Strict, opt.Workspace = false, nil
	if sample {
		opt.KeepRuns = 0 // hundreds of them would take the place of the runs that somebody reads
	}
	v := gates.Run(ctx, opt)
	opt.History.Rest()
	return v, nil
}

// beforeAll is the round whose seed the checks have. No sample has it: what a check leaves
// for its seed none finds.
const beforeAll = -1

// seedVar has the seed of a run's block. A program that reads it has new inputs in each
// block, and the same in both arms.
const seedVar = "GPUCI_SEED"

// right says whether a run may go on: green by the gate's rules. Otherwise the report
// says why not; in is the round, for people.
func (s *session) right(d *side, v gates.Verdict, in string) bool {
	r := s.report
	arm := "arm " + d.label()
	switch v.Outcome {
	case gates.Green, gates.Attention:
		return true
	case gates.Refused:
		if v.Owed != nil {
			r.Exit, r.Owed = gates.Refused.ExitCode(), v.Owed
			r.ended(End{State: Owing, Why: arm + ": " + reason(v)}, "gpuci ab --resume "+s.log().ID+" goes on with it; so does gpuci debt pay")
			return false
		}
	case gates.Interrupted:
		return false
	}
	r.Exit = gates.Broken.ExitCode()
	if v.Outcome == gates.Broken && v.Unwritten { // the disk's fault, and not the arm's
		r.ended(End{State: Stopped, Why: arm + in + ": " + reason(v)}, "free space, then gpuci ab --resume "+s.log().ID+" goes on with it")
		return false
	}
	if v.Outcome == gates.Refused {
		r.Exit = v.Exit
	} else {
		r.Exit = v.Outcome.ExitCode() // what the arm is by itself, and not that it cannot be said which is better
	}
	next := slices.Clone(v.Next)
	if v.Outcome != gates.Refused { // of which nothing was judged, the arm neither
		next = append(next, "what is wrong is not timed: mend the arm, or take it out")
	}
	r.ended(End{State: Failed, Why: fmt.Sprintf("%s is %s%s: %s", arm, v.Outcome, in, reason(v))}, next...)
	return false
}

// settle writes down what an arm came to, and holds it against what it was before. What is
// in its lane by now is what each of its runs begins with.
func (s *session) settle(ctx context.Context, d *side, v gates.Verdict) error {
	b := Built{
		Arm: d.Name, Twin: d.twin, Commit: d.commit, Clean: d.clean, Tree: d.tree, Run: v.Run, Outcome: string(v.Outcome),
		Card: v.Bound.Card, Driver: v.Bound.Driver, Seconds: v.Seconds, At: time.Now(),
	}
	b.Throttle = throttled(v)
	for _, p := range v.Bound.Products {
		b.Products = append(b.Products, p.SHA256)
	}
	d.outside = d.outsideOf(v)
	if snap, err := inputs.Load(v.Dir); err == nil && snap.Known && len(snap.Read) <= maxReads {
		for _, path := range snap.Read {
			b.Reads = append(b.Reads, string(path))
		}
	}
	if err := d.scratch.Keep(ctx); err != nil {
		return err
	}
	var err error
	if d.ignored, err = keepIgnored(ctx, d.scratch, runBegan(v)); err != nil {
		return err
	}
	if was := s.log().built(d.Name, d.twin); was != nil {
		if was.Card != b.Card || was.Driver != b.Driver {
			return &ArmError{fmt.Sprintf("the card is another one than the comparison began on (%s %s, now %s %s)", was.Card, was.Driver, b.Card, b.Driver), "begin anew, without --resume"}
		}
		if !slices.Equal(was.Products, b.Products) {
			if err := s.mark(d.Name, "arm "+d.label()+": what was built anew for --resume is not byte by byte what the first samples ran"); err != nil {
				return err
			}
		}
	}
	if len(s.log().Metrics) == 0 { // the base is the first
		printed, err := readNumbers(v.Dir)
		if err != nil {
			return err
		}
		printed = slices.DeleteFunc(printed, func(n number) bool { return counted(s.o.Gate, n.Metric) })
		metrics, lacking, err := choose(s.o.Gate, s.log().Wanted, printed)
		if err != nil {
			return err
		}
		if err := s.journal.add(line{Metrics: metrics, Lacking: lacking}); err != nil {
			return err
		}
	}
	return s.journal.add(line{Built: &b})
}

// runBegan is when a verdict's run did, or a little before that: what a file system says is
// the time of a file lags behind the clock.
func runBegan(v gates.Verdict) time.Time {
	at := v.Started.Add(-time.Second)
	for _, step := range v.Steps {
		if step.Name == "run" {
			break
		}
		at = at.Add(time.Duration(step.Seconds * float64(time.Second)))
	}
	return at
}

// maxReads bounds the paths that are kept of what a build read.
const maxReads = 5000

// reason is the first thing that a verdict says of why it is not green.
func reason(v gates.Verdict) string {
	for _, f := range v.Findings {
		if f.Outcome == v.Outcome {
			return f.Text
		}
	}
	return string(v.Outcome)
}

// lasted is a time in seconds as people say it.
func lasted(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
