package pressure

import (
	"fmt"
	"time"
)

// Others are the processes beside our own work that wait for the disk now.
type Others struct {
	Count int
	Text  string // some of them, for people
	Err   error  // they cannot be seen: then somebody else is taken to be the cause
}

// look is what is known at one moment.
type look struct {
	at     time.Time
	avg10  float64
	total  time.Duration
	free   int64 // bytes of memory available; negative when it is not asked for
	others Others
}

// The looks of a course. The first ones are close together: when nobody else
// waits for the disk in any of them, what it does is our own doing.
const (
	firstPause = 20 * time.Millisecond
	firstLooks = 3
	// measure is the shortest time that tells what happens now.
	measure      = 300 * time.Millisecond
	measurePause = 90 * time.Millisecond
	// settled is how long the kernel's averages are given to follow: it takes
	// them anew every 2 s.
	settled   = 2500 * time.Millisecond
	holdPause = 500 * time.Millisecond
	// window is what counts as now.
	window = 2 * time.Second
	// kept is how many looks tell who waits for the disk: one that is in D for
	// a moment is not the cause.
	kept = 6
	// fallen is the part of the highest average below which it is falling fast.
	fallen = 0.9
	// memoryAbove is how far memory must be over min-free again, as a part of it.
	memoryAbove = 1.05
)

// verdict says what a look leads to.
type verdict int

const (
	begin     verdict = iota
	measuring         // it is not known yet: look again
	holding           // hold back
)

// course is one piece of work before its beginning, from look to look.
type course struct {
	rule  Rule
	looks []look // of the last window, and at least the last few
	began time.Time
	top   float64 // the highest average so far

	heldIO, heldMemory bool // as of the last look
}

func (c *course) held() bool { return c.heldIO || c.heldMemory }

// next takes one look into account.
func (c *course) next(l look) verdict {
	if c.looks == nil {
		c.began = l.at
	}
	c.looks = append(c.looks, l)
	for len(c.looks) > kept && l.at.Sub(c.looks[1].at) > window {
		c.looks = c.looks[1:]
	}
	c.top = max(c.top, l.avg10)
	v := c.io(l)
	c.heldIO, c.heldMemory = v == holding, c.short(l)
	if c.heldMemory {
		return holding
	}
	return v
}

// short says that there is too little memory.
func (c *course) short(l look) bool {
	need := float64(c.rule.MinFree)
	if c.heldMemory {
		need *= memoryAbove
	}
	return c.rule.MinFree > 0 && l.free >= 0 && float64(l.free) < need
}

func (c *course) io(l look) verdict {
	if !c.heldIO && l.avg10 <= c.rule.Long {
		return begin
	}
	if c.ours() {
		return begin
	}
	now, ok := c.now()
	if !ok {
		return measuring
	}
	falling := l.avg10 < fallen*c.top
	calm := now < c.rule.Resume && (falling || l.avg10 <= c.rule.Resume)
	switch {
	case calm:
		return begin
	case c.heldIO, now > c.rule.Short:
		return holding
	case l.avg10 <= c.rule.Short || falling:
		return begin
	case l.at.Sub(c.began) < settled: // what is measured and the average disagree
		return measuring
	}
	return holding
}

// ours says that nobody else waits for the disk in most looks.
func (c *course) ours() bool {
	n := 0
	for _, l := range c.looks {
		if l.others.Count > 0 || l.others.Err != nil {
			n++
		}
	}
	return len(c.looks) >= firstLooks && 2*n < len(c.looks)
}

// now is the stall in percent of the time between the first look that is kept
// and the last one.
func (c *course) now() (float64, bool) {
	a, b := c.looks[0], c.looks[len(c.looks)-1]
	if b.at.Sub(a.at) < measure {
		return 0, false
	}
	share, ok := Stall(&Level{Total: a.total}, &Level{Total: b.total}, b.at.Sub(a.at))
	return 100 * share, ok
}

// pause is how long to wait before the next look.
func (c *course) pause() time.Duration {
	switch {
	case c.held():
		return holdPause
	case len(c.looks) < firstLooks:
		return firstPause
	case c.looks[len(c.looks)-1].at.Sub(c.began) < measure:
		return measurePause
	}
	return holdPause
}

// why says, with numbers, what the last look saw.
func (c *course) why() string {
	l := c.looks[len(c.looks)-1]
	if c.heldMemory {
		return fmt.Sprintf("%s of memory available, min-free is %s", Bytes(l.free), Bytes(c.rule.MinFree))
	}
	text := fmt.Sprintf("io full %.0f%% over 10 s", l.avg10)
	if now, ok := c.now(); ok {
		text += fmt.Sprintf(", %.0f%% now", now)
	}
	switch {
	case l.others.Err != nil:
		text += "; who waits for the disk cannot be seen: " + l.others.Err.Error()
	case l.others.Text != "":
		text += "; waiting for the disk: " + l.others.Text
	}
	return text
}
