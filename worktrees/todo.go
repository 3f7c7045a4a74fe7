package worktrees

import "sync"

// todo is the directories that wait to be visited. Workers take from it and
// hand back what they found below, until nothing waits and nobody works.
type todo struct {
	mu      sync.Mutex
	changed *sync.Cond
	spans   []span
	working int // taken and not yet done
	stopped bool
}

func newTodo(first span) *todo {
	t := &todo{spans: []span{first}}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// take waits for a directory; ok is false when all are visited.
func (t *todo) take() (s span, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.spans) == 0 && t.working > 0 && !t.stopped {
		t.changed.Wait()
	}
	if len(t.spans) == 0 || t.stopped {
		return span{}, false
	}
	last := len(t.spans) - 1
	s, t.spans = t.spans[last], t.spans[:last]
	t.working++
	return s, true
}

// done gives back a directory that was taken, and those below it.
func (t *todo) done(below []span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spans = append(t.spans, below...)
	t.working--
	if len(below) > 0 || t.working == 0 {
		t.changed.Broadcast()
	}
}

// stop ends the work early.
func (t *todo) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.changed.Broadcast()
}
