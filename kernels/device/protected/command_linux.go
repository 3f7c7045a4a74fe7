package protected

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	// glance is how long a reading of our own is waited for, which takes 20 us.
	glance = 300 * time.Millisecond
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

// hanging are the processes whose command line a thread of ours still waits for,
// by pid and start: no second thread is lost to the same one.
var hanging = struct {
	sync.Mutex
	reads map[[2]uint64]bool
}{reads: make(map[[2]uint64]bool)}

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
	if text, ok := m.glance(s); ok {
		return answer{text: text}
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
		return answer{text: strings.Join(args, " ")}
	}
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

// glance reads a command line ourselves, a hundred times faster than a child does
// and with the risk of a thread that hangs as long as the process does.
func (m *matcher) glance(s proc.Stat) (text string, ok bool) {
	key := [2]uint64{uint64(s.PID), s.Start}
	if s.State == 'D' || !begin(key) {
		return "", false
	}
	got := make(chan []byte, 1)
	go func() {
		got <- m.twice(s)
		done(key)
	}()
	late := time.NewTimer(glance)
	defer late.Stop()
	select {
	case data := <-got:
		data = bytes.TrimRight(data, "\x00")
		return string(bytes.ReplaceAll(data, []byte{0}, []byte{' '})), len(data) > 0
	case <-late.C:
		return "", false
	}
}

// begin says whether a reading may begin: none of the same process hangs.
func begin(key [2]uint64) bool {
	hanging.Lock()
	defer hanging.Unlock()
	if hanging.reads[key] {
		return false
	}
	hanging.reads[key] = true
	return true
}

func done(key [2]uint64) {
	hanging.Lock()
	defer hanging.Unlock()
	delete(hanging.reads, key)
}

// twice reads a command line, nil when two readings differ (a program that is
// being started shows part of it) or the process is another one by now.
func (m *matcher) twice(s proc.Stat) []byte {
	path := filepath.Join(string(m.o.Proc), strconv.Itoa(s.PID), "cmdline")
	one, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	two, err := os.ReadFile(path)
	after, serr := m.o.Proc.Stat(s.PID)
	if err != nil || serr != nil || after.Start != s.Start || !bytes.Equal(one, two) {
		return nil
	}
	return two
}
