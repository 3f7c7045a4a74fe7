package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// flushEvery is how often what was written to a log is put where other machines see it: a
// network file system keeps it on this one until then.
const flushEvery = time.Second

// Log is the log of an attempt. That it cannot be written ends nothing: the gate's own
// log is on the node, and comes back with its result.
type Log struct {
	mu    sync.Mutex
	f     *os.File
	dirty bool
	err   error // the first
	stop  chan struct{}
	done  chan struct{}
}

// Log is where the output of the gate goes as it comes, and what gpuci says beside it.
func (j *Job) Log() (*Log, error) {
	if j.log != nil {
		return j.log, nil
	}
	f, err := os.OpenFile(filepath.Join(j.dir, j.Attempt.log()), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin the log of task %s: %w", j.Cookie, err)
	}
	l := &Log{f: f, stop: make(chan struct{}), done: make(chan struct{})}
	j.log = l
	go l.flush()
	return l, nil
}

// Write never fails: what is lost is said in the end.
func (l *Log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.f.Write(data); err != nil && l.err == nil {
		l.err = err
	}
	l.dirty = true
	return len(data), nil
}

// Note writes a line of gpuci's own.
func (l *Log) Note(text string) { fmt.Fprintf(l, "gpuci: %s\n", text) }

func (l *Log) flush() {
	defer close(l.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		dirty := l.dirty
		l.dirty = false
		l.mu.Unlock()
		if dirty {
			_ = l.f.Sync()
		}
	}
}

func (l *Log) close() error {
	close(l.stop)
	<-l.done
	err := l.f.Sync()
	if l.err != nil {
		err = l.err
	}
	if cerr := l.f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("the log in the shared place is not whole: %w", err)
	}
	return nil
}
