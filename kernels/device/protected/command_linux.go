package protected

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"gpuci/reaper/proc"
)

const (
	// readers is how many command lines are read at a time: of those that a child
	// process reads, more would be felt by who works on the machine.
	readers = 4
	// readTime is how long a child is waited for, which takes 1.5 ms.
	readTime = 2 * time.Second
	// starting is how long a process may take to start its program, in which it has no
	// command line: its pages may come from a slow disk. again is how long is between
	// two looks at one that does.
	starting, again = 10 * time.Second, 100 * time.Millisecond
)

// answer is a command line, or why there is none.
type answer struct {
	text string
	why  string // it is not known
	gone bool   // there is no such process any more
}

// read reads the command lines that are not read yet.
func (m *matcher) read(ctx context.Context, list map[int]proc.Stat) {
	todo := make(chan proc.Stat)
	var all sync.WaitGroup
	var mu sync.Mutex
	for range readers {
		all.Go(func() {
			for s := range todo {
				a := m.commandOf(ctx, s)
				mu.Lock()
				m.commands[s.PID] = a
				mu.Unlock()
			}
		})
	}
	for pid, s := range list {
		mu.Lock()
		_, ok := m.commands[pid]
		mu.Unlock()
		if !ok {
			todo <- s
		}
	}
	close(todo)
	all.Wait()
}

// commandOf reads one command line. That of a process in D is read by a child,
// which can be given up, and so is what a reading of our own does not bring. One that
// is just starting a program is looked at again until that has begun: it may be any
// compiler's, and keeps nobody off a card by that.
func (m *matcher) commandOf(ctx context.Context, s proc.Stat) answer {
	if args, ok := m.o.Proc.Glance(ctx, s); ok {
		if text := line(args); text != "" {
			return answer{text: text}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	for {
		args, err := m.ask(ctx, s.PID)
		switch {
		case errors.Is(err, proc.ErrGone):
			return answer{gone: true}
		case errors.Is(err, proc.ErrPartial) && rest(ctx):
			continue
		case err != nil:
			return answer{why: fmt.Sprintf("pid %d (%s): its command line cannot be read: %v", s.PID, s.Comm, err)}
		case len(args) == 0: // it has none, and is known by its name
			return answer{text: s.Comm}
		}
		return answer{text: line(args)}
	}
}

// line is a command line as rules know it: what a program that wrote a title over its
// arguments left of them, empty ones at the end, is none of it.
func line(args []string) string {
	for len(args) > 0 && args[len(args)-1] == "" {
		args = args[:len(args)-1]
	}
	return strings.Join(args, " ")
}

// ask lets a child read a command line.
func (m *matcher) ask(ctx context.Context, pid int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return m.o.Proc.Cmdline(ctx, pid)
}

// rest waits until it is worth looking again, and says whether there is time for it.
func rest(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(again):
		return true
	}
}
