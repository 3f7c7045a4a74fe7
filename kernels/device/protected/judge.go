package protected

import (
	"fmt"
	"slices"
	"time"
)

const (
	// stall is how long the same progress may stand in a log, at least: a
	// checkpoint, or an evaluation, takes minutes.
	stall = 10 * time.Minute
	// stallSteps is how many of its own intervals it may stand.
	stallSteps = 5
	// shortest is the least time that a rate is taken from: a second's work is no
	// measure of a night's.
	shortest = 10 * time.Second
	// bornSlack is how much older than its run a log may be that the run began
	// itself: a shell opens it, and then waits for what it waits for.
	bornSlack = time.Minute
)

// judge makes of what a log says, and of what it said before, a progress.
func (f *finder) judge(r Run, in reading) Progress {
	p := Progress{Left: -1, Log: in.path, Seen: earlier(in.modified, f.now)}
	marks := since(in.marks, r.Since)
	older := !in.born.IsZero() && !r.Since.IsZero() && in.born.Before(r.Since.Add(-bornSlack))
	if older {
		marks = afterDrop(marks) // what went before may be an earlier run's
	}
	if len(marks) == 0 {
		p.Why = "its log says nothing yet that its rule would call progress"
		return p
	}
	last := marks[len(marks)-1]
	if !last.at.IsZero() {
		p.Seen = earlier(last.at, f.now)
	}
	p.Done, p.Total, p.Unit, p.Left = last.done, last.total, last.unit, last.left
	seen := f.remember(r, sample{At: p.Seen, Done: last.done, Total: last.total, Left: last.left})
	if last.at.IsZero() {
		p.Seen = seen.last().At // when this was first seen; what else is written there since is no progress
	}
	switch {
	case p.Total == 0 && p.Left < 0:
		p.Why = "its log does not say how much there is to do"
	case p.Total > 0 && p.Done >= p.Total:
		p.Why = p.position() + " by its log, and it is not over"
	case max(seen.Peak, highest(marks)) > p.Done:
		p.Why = fmt.Sprintf("its log went back to %s: it began again", p.position())
	case p.Left >= 0:
		p.Basis = "by the time that its log gives"
	default:
		p.rate(marks, seen, r, in, older)
	}
	written := p.Seen
	if p.Total == 0 {
		written = earlier(in.modified, f.now) // "2h" may be said for an hour
	}
	if age := f.now.Sub(written); p.Why == "" && age > p.patience(marks) {
		p.Why = fmt.Sprintf("nothing new in its log for %s: %s", age.Round(time.Minute), p.position())
	}
	return p
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// since leaves out what a log says of the time before a run, where it tells the
// time.
func since(marks []mark, start time.Time) []mark {
	return slices.DeleteFunc(slices.Clone(marks), func(m mark) bool {
		return !m.at.IsZero() && !start.IsZero() && m.at.Before(start.Add(-time.Second))
	})
}

// highest is the most that was done of the same total.
func highest(marks []mark) (top float64) {
	total := marks[len(marks)-1].total
	for _, m := range marks {
		if m.total == total {
			top = max(top, m.done)
		}
	}
	return top
}

// afterDrop are the marks since the log last went back.
func afterDrop(marks []mark) []mark {
	for i := len(marks) - 1; i > 0; i-- {
		if marks[i].done < marks[i-1].done {
			return marks[i:]
		}
	}
	return marks
}

// rate finds out how fast it goes: by the times in the log, by what was seen at
// earlier looks, or by the time since it started.
func (p *Progress) rate(marks []mark, seen memory, r Run, in reading, older bool) {
	first, last := marks[0], marks[len(marks)-1]
	old := seen.Samples[0]
	switch {
	case !first.at.IsZero() && p.between(first.at, first.done, last.at, "by the times in its log"):
	case p.between(old.At, old.Done, p.Seen, "by its log since "+Clock(old.At, p.Seen)):
	case r.Since.IsZero():
		p.Why = p.position() + ", and since when is not known"
	case older:
		p.Why = p.position() + "; its log is older than it, so the next look will tell how fast it goes"
	default:
		if len(in.first) > 0 {
			first = in.first[0]
		}
		from := r.Since
		if in.born.After(from) { // it was a while before there was something to say, or the log was rotated
			from = in.born
		}
		if !p.between(from, first.done, p.Seen, "by its log since "+Clock(from, p.Seen)) {
			p.Why = p.position() + ", and there is nothing yet to tell how fast it goes"
		}
	}
}

// between is the rate between two times, if they are far enough apart.
func (p *Progress) between(from time.Time, done float64, to time.Time, basis string) bool {
	span := to.Sub(from)
	if span < shortest || p.Done <= done {
		return false
	}
	p.Rate, p.Basis = (p.Done-done)/span.Seconds(), basis
	return true
}

// patience is how long the same progress may stand.
func (p *Progress) patience(marks []mark) time.Duration {
	first, last := marks[0], marks[len(marks)-1]
	if p.Rate <= 0 || len(marks) < 2 || last.done <= first.done {
		return stall
	}
	interval := (last.done - first.done) / float64(len(marks)-1) / p.Rate // seconds
	return max(stall, time.Duration(min(interval*stallSteps, far.Seconds())*float64(time.Second)))
}
