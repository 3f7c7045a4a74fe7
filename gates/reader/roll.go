package reader

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Roll is which tests a harness named, and whether each ran or was ignored; how one
// that ran came out is not in it. It is for holding two runs of one command against
// each other, in whatever order their tests came. A nil one is of none.
type Roll struct {
	N   int       // tests that were named; where these are not all that were counted, it says nothing
	sum [2]uint64 // over all names

	names map[rolled]int // how often, of those that there was room for
	room  int            // bytes that may still be kept
	cut   bool           // not all are in names
}

// rolled is a test as it is on a roll.
type rolled struct {
	name string
	ran  bool
}

// rollRoom bounds what is kept of names, in bytes: of some ten thousand tests. What is
// beyond shows by its sum.
const rollRoom = 4 << 20

// rollCost is what a name costs beside its text.
const rollCost = 48

func (c *Counts) roll(name string, ran bool) {
	if c.Roll == nil {
		c.Roll = newRoll()
	}
	c.Roll.add(rolled{name, ran})
}

func newRoll() *Roll { return &Roll{names: make(map[rolled]int), room: rollRoom} }

func (r *Roll) add(t rolled) {
	r.N++
	mark := "-"
	if t.ran {
		mark = "+"
	}
	sum := sha256.Sum256([]byte(mark + t.name))
	r.sum[0] += binary.LittleEndian.Uint64(sum[:])
	r.sum[1] += binary.LittleEndian.Uint64(sum[8:])
	r.keep(t, 1)
}

// Joined adds another roll to this one, of which it is a new one if that is nil.
func (r *Roll) Joined(o *Roll) *Roll {
	if o == nil {
		return r
	}
	if r == nil {
		r = newRoll()
	}
	r.N += o.N
	r.sum[0], r.sum[1] = r.sum[0]+o.sum[0], r.sum[1]+o.sum[1]
	r.cut = r.cut || o.cut
	for t, n := range o.names {
		r.keep(t, n)
	}
	return r
}

func (r *Roll) keep(t rolled, times int) {
	if _, known := r.names[t]; !known {
		if r.room -= len(t.name) + rollCost; r.room < 0 {
			r.cut = true
			return
		}
	}
	r.names[t] += times
}

// Equal says whether the same tests ran and were ignored.
func (r *Roll) Equal(o *Roll) bool {
	if r == nil || o == nil {
		return (r == nil || r.N == 0) && (o == nil || o.N == 0)
	}
	return r.N == o.N && r.sum == o.sum
}

// What a run can have of a test.
const (
	Ran     = "ran"
	Ignored = "ignored"
	Absent  = "not there"
	Mixed   = "ran and ignored" // there are several of its name
)

// Differing are the tests, by name, of which rolls do not have the same, each with
// what each roll has; none where they differ beyond what was kept.
func Differing(rolls []*Roll) (names []string, had map[string][]string) {
	had = make(map[string][]string)
	for _, r := range rolls {
		for t := range r.names {
			if _, known := had[t.name]; known || r.cut {
				continue
			}
			what, same := make([]string, len(rolls)), true
			for i, o := range rolls {
				what[i] = o.has(t.name)
				same = same && o.names[rolled{t.name, true}] == rolls[0].names[rolled{t.name, true}] &&
					o.names[rolled{t.name, false}] == rolls[0].names[rolled{t.name, false}]
			}
			if !same {
				had[t.name] = what
				names = append(names, t.name)
			}
		}
	}
	slices.Sort(names)
	return names, had
}

func (r *Roll) has(name string) string {
	ran, ignored := r.names[rolled{name, true}], r.names[rolled{name, false}]
	switch {
	case ran > 0 && ignored > 0:
		return Mixed
	case ran > 0:
		return Ran
	case ignored > 0:
		return Ignored
	}
	return Absent
}
