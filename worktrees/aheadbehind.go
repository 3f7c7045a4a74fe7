package worktrees

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"time"
)

// clockSlack is by how many seconds a commit may be older than its parents: by
// so much the clocks of two committers can differ, and a time zone that was
// mistaken for another.
const clockSlack = 24 * 60 * 60

// commit is what a survey needs of a commit.
type commit struct {
	tree    string   // in hex
	parents []string // in hex
	when    int64    // committer's time, seconds since 1970
}

// Sides of a count; a commit in the history of both tips has both bits.
const (
	left  = 1
	right = 2
	both  = left | right
)

// count is one walk down two histories, the newest commits first.
type count struct {
	sides  map[string]uint8 // of each commit that was come upon
	queue  timeline
	open   int   // commits in queue that are of one side alone
	oldest int64 // of those of one side that were taken out of queue
}

// aheadBehind counts the commits that only the history ending at tip has, and
// those that only base's has, as git rev-list --left-right --count does.
//
// A commit that is more than a day older than one of its parents can spoil the
// count, where git's commit-graph would have it right.
func (c *commits) aheadBehind(ctx context.Context, tip, base string) (ahead, behind int, err error) {
	if tip == base {
		return 0, 0, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := count{sides: make(map[string]uint8), oldest: math.MaxInt64}
	for _, end := range []struct {
		id   string
		side uint8
	}{{tip, left}, {base, right}} {
		if err := c.paint(ctx, &w, end.id, end.side); err != nil {
			return 0, 0, err
		}
	}
	for !w.settled() {
		if err := c.step(ctx, &w); err != nil {
			return 0, 0, fmt.Errorf("count commits between %.10s and %.10s: %w", tip, base, err)
		}
	}
	for _, side := range w.sides {
		switch side {
		case left:
			ahead++
		case right:
			behind++
		}
	}
	return ahead, behind, nil
}

// settled says that nothing which waits can change the side of what was seen: all
// of it is of both, and older than the oldest that is of one.
func (w *count) settled() bool {
	return len(w.queue) == 0 || w.open == 0 && w.queue[0].when < w.oldest-clockSlack
}

// step takes the newest commit that waits, and gives its sides to its parents.
func (c *commits) step(ctx context.Context, w *count) error {
	x := heap.Pop(&w.queue).(waiting)
	if x.side != both {
		w.open--
	}
	side := w.sides[x.id] // which may be more than when it came to wait
	if side != both {
		w.oldest = min(w.oldest, x.when)
	}
	for _, parent := range c.known[x.id].parents {
		if err := c.paint(ctx, w, parent, side); err != nil {
			return err
		}
	}
	return nil
}

// paint gives a commit sides; it waits for its turn if some are new to it.
func (c *commits) paint(ctx context.Context, w *count, id string, side uint8) error {
	had := w.sides[id]
	now := had | side
	if now == had {
		return nil
	}
	got, err := c.get(ctx, id)
	if err != nil {
		return err
	}
	w.sides[id] = now
	if now != both {
		w.open++
	}
	heap.Push(&w.queue, waiting{id, got.when, now})
	return nil
}

// when is the committer's time of a commit.
func (c *commits) when(ctx context.Context, id string) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	got, err := c.get(ctx, id)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(got.when, 0), nil
}

// waiting is a commit whose parents are still to be seen.
type waiting struct {
	id   string
	when int64
	side uint8 // when it came to wait
}

// timeline has the newest commit on top.
type timeline []waiting

func (t timeline) Len() int           { return len(t) }
func (t timeline) Less(i, j int) bool { return t[i].when > t[j].when }
func (t timeline) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timeline) Push(x any)        { *t = append(*t, x.(waiting)) }
func (t *timeline) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}
