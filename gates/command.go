package gates

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates/config"
	"gpuci/gates/reader"
	"gpuci/reaper/proc"
)

// phase is the build or the run of a gate: commands one after the other under
// one time limit.
type phase struct {
	name     string
	commands []config.Command
	limit    time.Duration
	out      *output
}

// ending says why a command ended.
type ending int

const (
	byItself ending = iota
	byInterrupt
	byTimeLimit
	byNoProgress
	byCard // it shares a card, and the other one needs it
	notStarted
)

// ended is how one command ended.
type ended struct {
	Ended
	why   ending
	err   error // with notStarted
	stall time.Duration
	unfit string // why it says that it cannot do its work on this machine
}

// ok says that the command ran to its end and reported success.
func (e ended) ok() bool { return e.why == byItself && e.Exit == 0 && e.Signal == "" }

// settle is what a command's leftovers may take to end by themselves before
// they count as escaped: mold's child goes on for up to 33 ms after its parent.
const settle = 200 * time.Millisecond

// phase runs the commands of a phase until one does not succeed.
func (f *flow) phase(ctx context.Context, p phase) (last ended) {
	limited, cancel := f.limited(ctx, p.limit)
	defer cancel()
	p.out.start()
	from := int64(0)
	for _, c := range p.commands {
		if limited.Err() != nil { // nothing begins once it is over
			last = ended{Ended: Ended{Step: p.name, Argv: argvOf(c), Exit: -1}, why: over(limited)}
			break
		}
		from = p.out.pumped.Load()
		last = f.command(limited, p, c)
		if last.why != notStarted {
			f.v.Commands = append(f.v.Commands, last.Ended)
			f.v.Used.add(last.Used)
		}
		p.out.nextCommand()
		if !last.ok() {
			break
		}
	}
	p.out.finish(f.opt.Hurry)
	last.unfit = unfit(last, p.out, from)
	f.outputMarks(p.out)
	return last
}

var errTimeLimit = errors.New("time limit")

// over says why a context ended.
func over(ctx context.Context) ending {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeLimit):
		return byTimeLimit
	case errors.As(cause, new(crowded)):
		return byCard
	}
	return byInterrupt
}

// command runs one command and leaves nothing of it behind.
func (f *flow) command(ctx context.Context, p phase, c config.Command) ended {
	argv := argvOf(c)
	f.opt.detail("%s: %s", p.name, quoteArgv(argv))
	e := ended{Ended: Ended{Step: p.name, Argv: argv, Exit: -1}, why: notStarted}
	dir := filepath.Join(f.opt.Root, f.gate.Dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		e.err = fmt.Errorf("its dir %s is no directory: mend dir in gpuci.toml", f.gate.Dir)
		return e
	}
	streams, err := openStreams(f.opt.Terminal)
	if err != nil {
		e.err = fmt.Errorf("open the output of %s: %w", argv[0], err)
		return e
	}
	defer streams.close()
	env := f.withCards(f.queued(argv, f.env()))
	if p.out.judge != nil {
		prepared, err := f.prepare(reader.Command{Argv: argv, Env: env, Dir: dir}, p.out)
		if err != nil {
			e.err = err
			return e
		}
		argv, env = prepared.Argv, prepared.Env
		e.Argv = argv
	}
	if p.out.judge != nil {
		if env, e.err = f.tracedEnv(argv, env, dir); e.err != nil {
			return e
		}
	}
	p.out.last.Store(time.Now().UnixNano())
	// Not under ctx: how it is ended depends on why, see finish.
	child, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: argv, Dir: dir, Env: env, Leave: f.gate.Leave, Name: f.v.Run, GiveUp: ctx.Done(),
		Stdout: streams.childOut, Stderr: streams.childErr,
	})
	streams.closeChild()
	switch {
	case errors.Is(err, proc.ErrNoStart):
		f.opt.note("%v", err)
		e.why = over(ctx)
		return e
	case err != nil:
		e.err = startError(argv[0], err)
		return e
	}
	f.pressure.follow(child)
	f.card.follow(child)
	e.supervision(child)
	f.opt.detail("supervised: %s%s", e.Supervised, because(e.NoCgroup))
	done := streams.pump(p.out)
	e.why, e.stall = f.await(ctx, child, p)
	f.finish(child, &e)
	f.card.leaveOff(child)
	f.pressure.leaveOff(child)
	p.out.drain(done, f.opt.Hurry)
	return e
}

// supervision writes down which way the command is supervised.
func (e *ended) supervision(child *proc.Process) {
	if e.Supervised = "cgroup"; child.NoLeaf != nil {
		e.Supervised, e.NoCgroup = "session", child.NoLeaf.Error()
	}
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

// await watches a running command until it ends or has to be ended.
func (f *flow) await(ctx context.Context, child *proc.Process, p phase) (ending, time.Duration) {
	stalled := make(chan time.Duration, 1)
	watch, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { f.watch(watch, child, p, stalled) })
	if f.links != nil {
		wg.Go(func() { f.links.Run(watch, child.Members) })
	}
	if f.traced != nil && p.out.judge != nil {
		wg.Go(func() { f.traced.look(watch, child.Members) })
	}
	defer wg.Wait()
	defer stop()
	select {
	case <-child.Done():
		return byItself, 0
	case d := <-stalled:
		f.stacks(child)
		return byNoProgress, d
	case <-ctx.Done():
	}
	why := over(ctx)
	if why == byTimeLimit {
		f.stacks(child)
	}
	return why, 0
}

// finish ends what is left of the command and writes down how it went.
func (f *flow) finish(child *proc.Process, e *ended) {
	lim := proc.Limits{Grace: f.gate.Grace}
	switch e.why {
	case byItself:
		lim.Settle = settle
	case byTimeLimit, byNoProgress:
		lim.Last = func(s proc.Stat) { lastWords(child, s) }
	}
	r := child.End(lim, f.opt.Hurry)
	x := child.Exit()
	e.Exit, e.Seconds = x.Code, time.Since(child.Started).Seconds()
	if x.Signal != 0 {
		e.Signal = unix.SignalName(x.Signal)
	}
	u := child.Usage()
	e.Used = Used{CPU: u.CPU.Seconds(), MaxRSS: u.MaxRSS, Peak: u.Peak, Read: u.Read, Written: u.Written, Switches: u.Switches}
	if e.why == byItself {
		e.Escaped = names(r.Ended)
	}
	if e.Left = names(r.Spared); len(e.Left) > 0 {
		f.opt.note("left running, as gpuci.toml says: %s", strings.Join(e.Left, ", "))
	}
	e.Survivors = survivors(r)
}

// survivors are those that would not end, and what could not be listed at all.
func survivors(r proc.Result) []string {
	var out []string
	for _, s := range r.Stuck {
		out = append(out, s.String())
	}
	if r.Err != nil {
		out = append(out, "what could not be listed: "+r.Err.Error())
	}
	return out
}

func names(list []proc.Stat) []string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s (pid %d, state %c)", s.Comm, s.PID, s.State))
	}
	return out
}
