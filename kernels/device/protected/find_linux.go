package protected

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// Options says where to look and for what. The zero value finds nothing.
type Options struct {
	Proc  proc.Root // "" is /proc
	Rules []Rule
	State string // directory for what was seen of progress before, made when it is not there; "" for none
}

// Look is what was found.
type Look struct {
	Runs    []Run
	Unknown []Unknown
}

// findTime bounds a look, which takes 30 us a process, and seconds where some of
// them hang or a file system does not answer.
const findTime = 20 * time.Second

// Find looks for the runs of all rules, and at their progress. A rule that is
// wrong is unknown. The error is that the processes cannot be listed at all.
//
// Reading the command line of a process in D can hang; that is waited for in vain
// for two seconds, and the rule is unknown then, unless it also says user, cwd or
// unit and the process is none of those.
func Find(ctx context.Context, o Options) (Look, error) {
	if len(o.Rules) == 0 {
		return Look{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	f, err := newFinder(o)
	if err != nil {
		return Look{}, err
	}
	var look Look
	for _, r := range o.Rules {
		runs, why := f.find(ctx, r)
		if why != "" {
			look.Unknown = append(look.Unknown, Unknown{Rule: r, Why: why, Any: r.Check() != nil})
		}
		for i := range runs {
			runs[i].Progress = f.progress(ctx, runs[i], len(runs) > 1)
		}
		look.Runs = append(look.Runs, runs...)
	}
	return look, nil
}

// finder is one picture of the processes.
type finder struct {
	o        Options
	now      time.Time
	boot     string
	picture  proc.Picture
	ours     map[int]bool   // ourselves, what is above us and what is below us
	commands map[int]answer // command lines that were read
}

func newFinder(o Options) (*finder, error) {
	o.Proc = cmp.Or(o.Proc, proc.Real)
	f := &finder{o: o, now: time.Now(), ours: make(map[int]bool), commands: make(map[int]answer)}
	var err error
	if f.picture, err = o.Proc.Scan(proc.ScanOptions{Cwd: true}); err != nil {
		return nil, fmt.Errorf("look for protected runs: %w", err)
	}
	f.boot, _ = o.Proc.BootID() // "" names no process again
	if o.Proc == proc.Real {
		for _, s := range slices.Concat(o.Proc.Lineage(os.Getpid()), f.picture.Table.Below(os.Getpid())) {
			f.ours[s.PID] = true
		}
	}
	return f, nil
}

// find lists the runs of a rule, and says why there may be others.
func (f *finder) find(ctx context.Context, r Rule) (runs []Run, why string) {
	if err := r.Check(); err != nil {
		return nil, "its rule is wrong: " + err.Error()
	}
	m := matcher{finder: f, rule: r, command: regexp.MustCompile(r.Command)}
	if err := m.prepare(ctx); err != nil {
		return nil, err.Error()
	}
	fits, why := m.all(ctx)
	for _, s := range f.tops(fits) {
		runs = append(runs, f.run(r, m.command, s))
	}
	return runs, why
}

// tops picks the processes that none of the others is above: a launcher has the
// command line of what it runs in its own (timeout 900 python3 train.py), and the two
// are one run.
func (f *finder) tops(fits []proc.Stat) (out []proc.Stat) {
	in := make(map[int]bool)
	for _, s := range fits {
		in[s.PID] = true
	}
	for _, s := range fits {
		if !f.under(in, s) {
			out = append(out, s)
		}
	}
	return out
}

// under says whether one of some processes is above another.
func (f *finder) under(some map[int]bool, s proc.Stat) bool {
	seen := map[int]bool{s.PID: true} // a reused pid can make a loop out of one picture
	for up := s.PPID; up > 0 && !seen[up]; up = f.picture.Table[up].PPID {
		if some[up] {
			return true
		}
		seen[up] = true
	}
	return false
}

// run says what is known of one.
func (f *finder) run(r Rule, command *regexp.Regexp, s proc.Stat) Run {
	run := Run{Rule: r, PIDs: []int{s.PID}, Process: s.Identity(f.boot), UID: -1, Command: s.Comm}
	for _, b := range f.picture.Table.Below(s.PID) {
		if !f.ours[b.PID] {
			run.PIDs = append(run.PIDs, b.PID)
		}
	}
	if age := f.o.Proc.Age(s); age > 0 {
		run.Since = f.now.Add(-age)
	}
	if st, err := f.o.Proc.Status(s.PID); err == nil {
		run.UID = st.EUID
	}
	if a := f.commands[s.PID]; a.text != "" {
		text := strings.TrimSpace(a.text)
		run.Command, run.Loose = around(text, command), loose(text, command)
	}
	return run
}
