package device

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// people are the processes that were looked at, by pid and start: names of users
// and command lines are read once, since a watch looks ten times a second.
type people struct {
	mu    sync.Mutex
	known map[[2]uint64]Process
}

func newPeople() *people { return &people{known: map[[2]uint64]Process{}} }

// peopleMax is when all is forgotten: far more than a card has processes.
const peopleMax = 4096

// commandTime bounds the reading of one command line, which waits for the target's
// memory; commandMax is what people read of it, in bytes.
const (
	commandTime = 500 * time.Millisecond
	commandMax  = 200
)

// describe fills in who a living process is. Of ours the name is enough, and costs
// nothing.
func (p *people) describe(root proc.Root, s proc.Stat, own bool) Process {
	key := [2]uint64{uint64(s.PID), s.Start<<1 | uint64(bit(own))}
	p.mu.Lock()
	defer p.mu.Unlock()
	if found, ok := p.known[key]; ok {
		return found
	}
	if len(p.known) >= peopleMax {
		clear(p.known)
	}
	q := Process{PID: s.PID, Start: s.Start, UID: -1, Command: s.Comm, Since: time.Now().Add(-root.Age(s)).Round(time.Second)}
	if st, err := root.Status(s.PID); err == nil {
		q.UID, q.User = st.EUID, buildlock.UserName(st.EUID)
	}
	if !own {
		if w, err := root.Cwd(s.PID); err == nil && w.Known() {
			q.Cwd = w.Path
		}
		q.Command = commandOf(root, s)
	}
	p.known[key] = q
	return q
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// commandOf is the command line, or the name where that cannot be read.
func commandOf(root proc.Root, s proc.Stat) string {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	args, err := root.Cmdline(ctx, s.PID)
	if err != nil || len(args) == 0 {
		return strings.ToValidUTF8(s.Comm, "?")
	}
	line := strings.ToValidUTF8(strings.Join(args, " "), "?")
	if len(line) > commandMax {
		line = strings.ToValidUTF8(line[:commandMax], "") + "…"
	}
	return line
}

// pidMax is the highest number that this kernel gives, kernel.pid_max; 0 where it
// does not tell.
func (a Around) pidMax() int {
	data, err := os.ReadFile(filepath.Join(string(a.proc()), "sys/kernel/pid_max"))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}

func (a Around) proc() proc.Root {
	if a.Proc == "" {
		return proc.Real
	}
	return a.Proc
}
