package ci

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/inputs"
	"gpuci/worktrees"
)

// past is what the history has of the gates of a night, read once.
type past struct {
	store   *history.Store
	plan    Plan
	scratch string                      // directory of scratch lanes
	state   string                      // directory of the runs
	runs    map[string][]history.Result // by gate, the newest first; the latest of every lane are among them
	tools   gates.ToolBook
	before  Report // of the last night
	now     func() time.Time

	here worktrees.Lane // from which the repository is asked where a base is by now
	base string         // branch of the workspace, "" for the usual one
}

// lookedAt is how many of a gate's results are read, the newest, beside the latest
// of each lane: 400 are a week of a busy workspace, and 10 ms.
const lookedAt = 400

// readPast reads what was. A history that cannot be read makes the night long, and
// not wrong: then everything is run.
func (n *night) readPast(ctx context.Context, gateNames []string) *past {
	p := &past{plan: n.plan, scratch: n.scratchDir, state: n.o.State, runs: make(map[string][]history.Result), before: n.books.report(n.plan.Reported), now: n.clock.Wall,
		here: n.o.Here, base: n.o.Config.Workspace.Base}
	store, err := n.o.Past.Store()
	if err == nil {
		p.store = store
		err = p.read(ctx, gateNames)
	}
	if err != nil && ctx.Err() == nil {
		n.note("what came of gates before is not known, so that all are run: %v", err)
	}
	return p
}

func (p *past) read(ctx context.Context, gateNames []string) error {
	latest, err := p.store.Latest(ctx)
	if err != nil {
		return err
	}
	for _, r := range latest {
		p.runs[r.Gate] = append(p.runs[r.Gate], r)
	}
	for _, gate := range gateNames {
		list := p.runs[gate]
		for r, err := range p.store.Results(ctx, history.Query{Gate: gate, Believed: true, Limit: lookedAt}) {
			if err != nil {
				return err
			}
			if p.store.Believes(r.UID, r.Started) {
				list = append(list, r)
			}
		}
		slices.SortStableFunc(list, func(a, b history.Result) int { return b.Started.Compare(a.Started) })
		p.runs[gate] = slices.CompactFunc(list, func(a, b history.Result) bool { return a.Run == b.Run })
	}
	return nil
}

// standing gives the outcome that stands for a gate at the job's content, if there
// is one: of a run in which the notes about it stood as they do now. What this very
// night recorded before it was killed is one, too.
func (p *past) standing(ctx context.Context, j *job, g config.Gate, opt gates.Options, notes *gates.CommitNotes) (Cell, bool) {
	settings := gates.SettingsID(g)
	var now []gates.Tool // as the tools are today, once that is asked
	for _, r := range p.runs[g.Name] {
		if r.Tree != j.lead().Tree || r.Tree == "" || r.Config != settings || !judged(gates.Outcome(r.Outcome)) || !p.holds(r, g) || p.moved(ctx, r) || !notes.AsIn(ctx, r) ||
			gates.BaseMoved(ctx, filepath.Join(p.state, "runs", r.Run), g, p.here, j.lead().Commit, p.base) {
			continue
		}
		if now == nil {
			now = p.tools.Of(ctx, opt)
		}
		if sameTools(r.Tools, now) {
			r.Findings = notes.Findings(ctx, r)
			return p.cellOf(r), true
		}
	}
	return Cell{}, false
}

// holds says whether a result can be told to hold still, apart from what it is of.
func (p *past) holds(r history.Result, g config.Gate) bool {
	tonight := !r.Started.Before(p.plan.Began)
	switch {
	case p.plan.Force && !tonight:
		return false
	case overdue(r, g, p.now()):
		return false
	case len(g.Needs) > 0 && (r.Card == "" || r.Host != hostName() && (p.plan.On == "" || !p.onNode(r))):
		return false // nobody says which card that was
	}
	// By hand a gate sees what git ignores, and the environment of who runs it.
	return p.ours(r) && !Unsettled(r)
}

// ours says that a result is of a checkout of ours: of a scratch lane, or on a node.
func (p *past) ours(r history.Result) bool {
	return inScratch(p.scratch, r) || r.Changes == "" && p.onNode(r)
}

// onNode says that a result was brought home from another machine, where a night had it
// run: its run says of which job it is. One by hand had the environment of who ran it.
func (p *past) onNode(r history.Result) bool {
	if !filepath.IsLocal(r.Run) {
		return false
	}
	var job executor.Job
	data, err := os.ReadFile(filepath.Join(p.state, "runs", r.Run, executor.JobName))
	return err == nil && json.Unmarshal(data, &job) == nil && job.Cookie != "" && !job.ByHand
}

// overdue says that a result was a known red, and that its end has come since. The
// last day counts, to its end here.
func overdue(r history.Result, g config.Gate, now time.Time) bool {
	return gates.Beneath(r) == gates.KnownRed && now.Format(time.DateOnly) > g.Until.Format(time.DateOnly)
}

// Unsettled says that a result leaves open which content was judged.
func Unsettled(r history.Result) bool { return gates.Unsettled(r) }

// moved says that something has changed which a run has read outside of its lane,
// as a crate beside it, or that this cannot be told.
func (p *past) moved(ctx context.Context, r history.Result) bool {
	if !filepath.IsLocal(r.Run) {
		return true
	}
	snap, err := inputs.Load(filepath.Join(p.state, "runs", r.Run))
	if errors.Is(err, fs.ErrNotExist) {
		return false // a run whose build is not known reads its lane
	}
	if err != nil {
		return true
	}
	paths, err := snap.OutsideChanged(ctx)
	return err != nil || len(paths) > 0
}

// inScratch says whether a result is of a lane in a directory of scratch lanes. That
// directory may be named by symbolic links; where it is gone, it is as it was named.
func inScratch(dir string, r history.Result) bool {
	real, err := filepath.EvalSymlinks(dir)
	return below(dir, r.Root) || err == nil && below(real, r.Root)
}

// below says whether a path is one below a directory.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// sameTools holds the tools of a result against those there are. One that says no
// version is known by its path.
func sameTools(then []history.Tool, now []gates.Tool) bool {
	return slices.EqualFunc(then, now, func(a history.Tool, b gates.Tool) bool {
		return a.Name == b.Name && a.Version == b.Version && (a.Version != "" || a.Path == b.Path)
	})
}

// cellOf is a result that stands. One of this night has been run in it.
func (p *past) cellOf(r history.Result) Cell {
	c := Cell{
		Gate: r.Gate, State: Stands, Outcome: gates.Outcome(r.Outcome), Exit: r.Exit, Marks: r.Marks,
		Run: r.Run, Of: r.Lane, Commit: r.Commit, Started: r.Started, Seconds: r.Seconds,
	}
	if !r.Started.Before(p.plan.Began) {
		c.State = Ran
	}
	var findings []gates.Finding
	for _, f := range r.Findings {
		findings = append(findings, gates.Finding{Outcome: gates.Outcome(f.Outcome), Text: f.Text})
	}
	c.because(findings)
	if r.Dir != "" && c.Outcome != gates.Green {
		c.Next = []string{"gpuci history " + r.Gate + " shows what came of it; its logs are in " + r.Dir}
	}
	return c
}

// usual is how long a gate usually takes: the median of its last runs that came to
// a judgement.
func (p *past) usual(gate string) (time.Duration, bool) {
	const most = 20
	var seconds []float64
	for _, r := range p.runs[gate] {
		if judged(gates.Outcome(r.Outcome)) && len(seconds) < most {
			seconds = append(seconds, r.Seconds)
		}
	}
	if len(seconds) == 0 {
		return 0, false
	}
	return time.Duration(quantile(seconds, 0.5) * float64(time.Second)), true
}
