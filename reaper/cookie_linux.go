package reaper

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// cookieVariable is what reaper/proc writes into the environment of every
// command: it lists the commands above a process, parted by colons. A command is
// called by the run it is of, a dot, and what makes it single.
const cookieVariable = "GPUCI_COMMANDS"

// cookieTime is how long an environment is waited for. An answer takes 2 ms,
// and on a busy machine some tens.
const cookieTime = 300 * time.Millisecond

// cookie are the runs a process was started under.
type cookie struct {
	runs  []string
	known bool
}

// cookie reads a process's environment, once for all pictures: one that does
// not answer, or is not ours to ask, is not asked again.
func (e *eye) cookie(ctx context.Context, p Process) cookie {
	key := bearerOf(p.Stat)
	if c, ok := e.cookies[key]; ok {
		return c
	}
	limited, cancel := context.WithTimeout(ctx, cookieTime)
	defer cancel()
	env, err := e.root.Environ(limited, p.PID)
	if ctx.Err() != nil {
		return cookie{} // it was we who did not wait
	}
	var c cookie
	now, serr := e.root.Stat(p.PID)
	if err == nil && serr == nil && bearerOf(now) == key {
		c = cookie{runsIn(env), true}
	}
	e.missed(p, "environment", err)
	if c.known || hopeless(err) {
		e.cookies[key] = c
	}
	return c
}

// hopeless says that asking again would only cost again.
func hopeless(err error) bool {
	var hung *proc.HungError
	return errors.As(err, &hung) || errors.Is(err, fs.ErrPermission)
}

// runsIn are the runs that an environment names.
func runsIn(env []string) (runs []string) {
	for _, v := range slices.Backward(env) { // of two of a name the last one counts
		text, ok := strings.CutPrefix(v, cookieVariable+"=")
		if !ok {
			continue
		}
		for mark := range strings.SplitSeq(text, ":") {
			if mark != "" {
				runs = append(runs, runOf(mark))
			}
		}
		return runs
	}
	return nil
}

// runOf is the run in the name of a command; one without a dot is no command's
// and its own run, which nobody knows.
func runOf(mark string) string {
	if i := strings.LastIndexByte(mark, '.'); i >= 0 {
		return mark[:i]
	}
	return mark
}

// runOfLeaf is the run of a leaf by its path, "" when there is none. What only
// begins like a leaf's name is none: a cgroup of the user's, or his service.
func runOfLeaf(leaf string) string {
	mark, ok := proc.LeafMark(path.Base(leaf))
	if !ok {
		return ""
	}
	return runOf(mark)
}
