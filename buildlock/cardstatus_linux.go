package buildlock

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// CardTickets lists the locks of cards that have live tickets, by their UUIDs.
func CardTickets(ctx context.Context, dir string) ([]Queue, error) {
	dir = orDefault(dir)
	top, err := openShared(dir)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer top.close()
	names, err := top.names()
	if err != nil {
		return nil, unfit(dir, err)
	}
	slices.Sort(names)
	var out []Queue
	for _, name := range names {
		l := Lock(name)
		if l.Card() == "" || !l.valid() {
			continue
		}
		list, err := Tickets(ctx, dir, l)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			out = append(out, Queue{Lock: l, Slots: 1, Entries: list})
		}
	}
	return out, nil
}

// HeldCards says by UUID who holds a card: the first live ticket of its line that
// was granted and not declared void.
func HeldCards(ctx context.Context, dir string) (map[string]Entry, error) {
	queues, err := CardTickets(ctx, dir)
	out := make(map[string]Entry)
	for _, q := range queues {
		at := slices.IndexFunc(q.Entries, func(e Entry) bool { return !e.Granted.IsZero() && e.Void == nil })
		if at >= 0 {
			out[q.Lock.Card()] = q.Entries[at]
		}
	}
	return out, err
}
