package trace

import (
	"cmp"
	"slices"
)

// Unread is what was written and, by all that a recording has, never read: a hint, and no
// more. A launch, of a kernel or a graph, may read all there is on the card, so that only
// what no launch follows counts. What is not noted may have read it as well: a kernel that
// was launched before and runs on, another process or device, an event that was asked and
// not waited for.
type Unread struct {
	Stage string `json:"stage"`
	Why   string `json:"why"`  // "overwritten", "freed", or "overwritten-on-host"
	Call  string `json:"call"` // that wrote it
	By    string `json:"by"`   // that wrote over it, or freed it
	N     int64  `json:"n"`
	Bytes int64  `json:"bytes"`
}

// The reasons.
const (
	Overwritten = "overwritten"
	Freed       = "freed"
	OnHost      = "overwritten-on-host"
)

// unreadMost is how many writes are followed at one time; older ones are let be.
const unreadMost = 64

// unread follows what is written. A call's own event comes before the one that has its
// addresses: both are of one thread, one after the other.
type unread struct {
	card, host []written
	memory     map[uint32]written // allocations, by number
	managed    map[uint32]written // of these, what the host may read as it is
	waiting    []written          // by thread: calls whose addresses are to come
	found      map[unreadKey]*Unread
}

// written are bytes that a call wrote, or allocated.
type written struct {
	at, bytes uint64
	call      uint32
	kind      Kind
	is        call
	number    uint32
	stage     string
}

func (w *written) over(at, bytes uint64) bool { return w.at < at+bytes && at < w.at+w.bytes }
func (w *written) in(at, bytes uint64) bool {
	return w.at >= at && w.at+w.bytes <= at+bytes && w.bytes > 0
}

type unreadKey struct {
	stage, why string
	call, by   uint32
}

func newUnread() *unread {
	return &unread{memory: map[uint32]written{}, managed: map[uint32]written{}, found: map[unreadKey]*Unread{}}
}

// take takes a call in, in its order.
func (u *unread) take(e *Event, is call, stage string) {
	u.settle(e.Thread)
	if e.Flags&(Failed|Captured) != 0 {
		return
	}
	switch e.Kind {
	case Launch:
		u.card = u.card[:0]
	case GraphLaunch: // which may copy, or call the host
		u.card, u.host = u.card[:0], u.host[:0]
	case Sync:
		u.host = u.host[:0]
	case Copy, Set, Alloc:
		for len(u.waiting) <= e.Thread {
			u.waiting = append(u.waiting, written{})
		}
		u.waiting[e.Thread] = written{bytes: e.Value, call: e.Name, kind: e.Kind, is: is, number: e.Other, stage: stage}
	case Release:
		u.freed(e, stage)
	}
}

// settle is for a copy whose addresses were not noted: it may have read anything.
func (u *unread) settle(thread int) {
	if thread >= len(u.waiting) || u.waiting[thread].kind == 0 {
		return
	}
	if u.waiting[thread].kind == Copy {
		u.card, u.host = u.card[:0], u.host[:0]
	}
	u.waiting[thread] = written{}
}

// place takes in where the thread's last call wrote, and read.
func (u *unread) place(e *Event) {
	if e.Thread >= len(u.waiting) || u.waiting[e.Thread].kind == 0 {
		return
	}
	w := u.waiting[e.Thread]
	u.waiting[e.Thread] = written{}
	w.at = e.Value
	switch w.kind {
	case Alloc:
		u.memory[w.number] = w
		if w.is.managed {
			u.managed[w.number] = w
		}
	case Set:
		u.writes(&u.card, w, Overwritten)
	case Copy:
		from := uint64(e.Name)<<32 | uint64(e.Other)
		u.read(from, w.bytes)
		u.copied(w)
	}
}

// copied is a copy's write. Of one whose name does not say where to, nothing is followed.
func (u *unread) copied(w written) {
	switch w.is.direction {
	case CopiedHtoD, CopiedDtoD:
		u.writes(&u.card, w, Overwritten)
	case CopiedDtoH:
		u.writes(&u.host, w, OnHost)
	}
	if w.is.waits {
		u.host = u.host[:0] // the host goes on when it has come
	}
}

// read is something that was.
func (u *unread) read(at, bytes uint64) {
	read := func(w written) bool { return w.over(at, bytes) }
	u.card, u.host = slices.DeleteFunc(u.card, read), slices.DeleteFunc(u.host, read)
}

// writes is a new write: what it covers was for nothing.
func (u *unread) writes(list *[]written, w written, why string) {
	for _, m := range u.managed {
		if m.over(w.at, w.bytes) {
			return
		}
	}
	*list = slices.DeleteFunc(*list, func(old written) bool {
		gone := old.in(w.at, w.bytes)
		if gone {
			u.note(old, why, w.call, w.stage)
		}
		return gone
	})
	if len(*list) == unreadMost {
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, w)
}

func (u *unread) freed(e *Event, stage string) {
	m, known := u.memory[e.Other]
	if !known {
		return
	}
	delete(u.memory, e.Other)
	delete(u.managed, e.Other)
	u.card = slices.DeleteFunc(u.card, func(w written) bool {
		gone := w.in(m.at, m.bytes)
		if gone {
			u.note(w, Freed, e.Name, stage)
		}
		return gone
	})
}

func (u *unread) note(w written, why string, by uint32, stage string) {
	k := unreadKey{stage, why, w.call, by}
	if u.found[k] == nil {
		u.found[k] = &Unread{Stage: stage, Why: why}
	}
	u.found[k].N++
	u.found[k].Bytes += int64(w.bytes)
}

// list gives them, the most bytes first.
func (u *unread) list(n *Names) (list []Unread) {
	for k, one := range u.found {
		one.Call, one.By = n.Calls[k.call], n.Calls[k.by]
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Unread) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.N, a.N), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Why, b.Why), cmp.Compare(a.Call, b.Call), cmp.Compare(a.By, b.By))
	})
	return list
}
