package proc

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// markVariable is the cookie: the commands that stand above a process, parted
// by colons, each as Name and a dot and what makes it single. Start adds it to
// the environment of every command.
const markVariable = "GPUCI_COMMANDS"

// markTime is how long the environment of an orphan, or of a process that a
// killed run may have left, is waited for. An answer takes 2 ms.
const markTime = 300 * time.Millisecond

// marks reads the cookie of a process. It has to be asked in the environment
// that the process was started with, whose reading can hang.
func marks(ctx context.Context, pid int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	env, err := Real.Environ(ctx, pid)
	if err != nil {
		return nil, err
	}
	return marksIn(env), nil
}

func marksIn(env []string) []string {
	text := getenv(env, markVariable)
	if text == "" {
		return nil // Split would make one empty item of it
	}
	return strings.Split(text, ":")
}

// has says whether a child, alive or dead, is certainly of this command: it
// was seen below it before, or it is in its session.
func (p *Process) has(s Stat) bool {
	p.mu.Lock()
	known := p.known[s.key()]
	p.mu.Unlock()
	return known || p.inSession(s)
}

// holds says the same of one that is alive, which may also lie in the leaf.
func (p *Process) holds(s Stat) bool {
	return p.has(s) || p.leaf != nil && p.leaf.holds(s.PID)
}

// inSession says whether a process is in the session of the command. The pid
// that a session is called by is not used again while it has members.
func (p *Process) inSession(s Stat) bool {
	return !p.cmd.Interactive && s.Session == p.Identity.PID
}

// owns says whether an orphan is of this command. On any doubt it is not: an
// orphan that is missed goes on, a stranger that is not would be ended. The
// error is ErrGone when it ended before that was known.
func (p *Process) owns(s Stat) (bool, error) {
	k := s.key()
	p.mu.Lock()
	before, denied, strict := p.before[k], p.denied[k], len(p.before) > 0
	p.mu.Unlock()
	switch {
	case before, denied, s.Start < p.Identity.Start:
		return false, nil
	case p.holds(s):
		return true, nil
	case !p.cmd.Interactive && s.Session == ourSession():
		return false, nil // nothing comes back into a session that it left
	}
	others, asides := p.others()
	if slices.ContainsFunc(append(asides, others...), func(q *Process) bool { return q.holds(s) }) {
		return false, nil
	}
	// Orphans come to us from below us, so alone with our one command it can
	// be nobody else's: unless we are pid 1, to whom all come, or there were
	// strangers below us before. In a leaf, being outside speaks against it.
	alone := p.leaf == nil && len(others)+starting() == 0 && !strict && os.Getpid() != 1 && s.Session != ourSession()
	if alone && len(asides) == 0 {
		return true, nil
	}
	return p.marked(s, alone, asides)
}

// marked asks for the cookie. Alone but for commands aside, all that has not
// theirs is of p. A process that does not answer is not asked again until a
// command has been ended.
func (p *Process) marked(s Stat, alone bool, asides []*Process) (bool, error) {
	list, err := marks(context.Background(), s.PID)
	if slices.Contains(list, p.mark) {
		return true, nil
	}
	if alone && err == nil && !slices.ContainsFunc(asides, func(q *Process) bool { return slices.Contains(list, q.mark) }) {
		return true, nil
	}
	if starting() == 0 && (err == nil || !errors.Is(err, ErrPartial) && !errors.Is(err, ErrGone)) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.denied[s.key()] = true
	}
	if errors.Is(err, ErrGone) && !lives(s) { // it can also be ending for long
		return false, ErrGone
	}
	return false, nil
}

// lives says whether a process is still there, and not only its exit status.
func lives(s Stat) bool {
	now, err := Real.Stat(s.PID)
	return err == nil && now.key() == s.key() && !now.Zombie()
}
