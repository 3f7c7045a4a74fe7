package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"gpuci/pressure"
)

// changeLines prints a line for each change, for a log.
type changeLines struct {
	out  io.Writer
	note func(string) // what is not known
	said []namedShare // what the last line had
	at   time.Time    // of the last line
}

// What makes a line: a number that moved by so many points, at most one a
// second. That something stalls, or is calm again, always does.
const (
	movedBy = 10
	linesBy = time.Second
)

func (w *changeLines) show(e sight) error {
	if e.Note != nil {
		w.note(e.Note.Error())
	}
	now, shares, over := e.Span.To, headline(e.Span), secondsText(e.Span.Length())
	if e.Span.Length() > stepLong { // an hour of calm is in it, and hides what is now
		shares, over = averages(e.Reading), "10 s"
	}
	if e.Kind == pressure.EventLevel && (now.Sub(w.at) < linesBy || !moved(w.said, shares)) || e.Kind == pressure.EventDegraded {
		return nil
	}
	w.said, w.at = shares, now
	_, err := fmt.Fprintf(w.out, "%s %s: %sover %s%s\n", now.Local().Format("15:04:05"), eventText(e.Event), sharesText(shares), over, joinedWho(e))
	return err
}

func (w *changeLines) end() {}

// joinedWho is who takes part in a stall that begins, for the end of a line.
func joinedWho(e sight) string {
	if e.Kind != pressure.EventStalled {
		return ""
	}
	return "; " + whoText(e.Resource, e.who)
}

// eventText is what happened.
func eventText(e pressure.Event) string {
	switch {
	case e.Kind == pressure.EventStalled && e.Resource != "":
		return fmt.Sprintf("%s stalled (%s)", e.Resource, overText(e.Resource))
	case e.Kind == pressure.EventFirst:
		return "now"
	}
	return string(e.Kind)
}

// namedShare is a share with its name.
type namedShare struct {
	name string
	pressure.Share
}

func (s namedShare) String() string {
	if !s.Known {
		return s.name + " unknown"
	}
	return fmt.Sprintf("%s %.0f%%", s.name, s.Percent())
}

// headline are the shares that a line has.
func headline(s pressure.Span) []namedShare {
	return []namedShare{{"io full", s.IO.Full}, {"io some", s.IO.Some}, {"memory full", s.Memory.Full}, {"cpu some", s.CPU.Some}}
}

// averages are the same of the kernel's last 10 s.
func averages(r pressure.Reading) []namedShare { return headline(averagesOf(r)) }

// averagesOf has the kernel's averages over 10 s as the shares of a span.
func averagesOf(r pressure.Reading) pressure.Span {
	share := func(l *pressure.Level) pressure.Share {
		if l == nil {
			return pressure.Share{}
		}
		return pressure.Share{Value: l.Avg10 / 100, Known: true}
	}
	shares := func(x pressure.Resource) pressure.Shares {
		return pressure.Shares{Some: share(x.Some), Full: share(x.Full)}
	}
	return pressure.Span{CPU: shares(r.CPU), IO: shares(r.IO), Memory: shares(r.Memory), IRQ: shares(r.IRQ)}
}

// sharesText are the numbers, with a comma behind each.
func sharesText(shares []namedShare) (text string) {
	for _, x := range shares {
		text += x.String() + ", "
	}
	return text
}

// secondsText is a length of time of about a second and more.
func secondsText(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// moved says whether a number is another one than it was, or known no longer.
func moved(before, now []namedShare) bool {
	for i := range now {
		if i >= len(before) || before[i].Known != now[i].Known || math.Abs(before[i].Percent()-now[i].Percent()) >= movedBy {
			return true
		}
	}
	return false
}
