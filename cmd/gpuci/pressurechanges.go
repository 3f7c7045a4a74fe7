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
	note func(string)  // what is not known
	said pressure.Span // what the last line had
	at   time.Time     // of the last line
}

// What makes a line: a number that moved by so many points, at most one a
// second. That something stalls, or is calm again, always does.
const (
	movedBy = 10
	linesBy = time.Second
)

func (w *changeLines) show(e pressure.Event) error {
	if e.Note != nil {
		w.note(e.Note.Error())
	}
	now := e.Span.To
	if e.Kind == pressure.EventLevel && (now.Sub(w.at) < linesBy || !moved(w.said, e.Span)) || e.Kind == pressure.EventDegraded {
		return nil
	}
	w.said, w.at = e.Span, now
	_, err := fmt.Fprintf(w.out, "%s %s: %s\n", now.Local().Format("15:04:05"), eventText(e), spanText(e.Span))
	return err
}

func (w *changeLines) end() {}

// eventText is what happened.
func eventText(e pressure.Event) string {
	switch {
	case e.Kind == pressure.EventStalled && e.Resource != "":
		return e.Resource + " stalled"
	case e.Kind == pressure.EventFirst:
		return "now"
	}
	return string(e.Kind)
}

// headline are the shares that a line has.
func headline(s pressure.Span) []namedShare {
	return []namedShare{{"io full", s.IO.Full}, {"io some", s.IO.Some}, {"memory full", s.Memory.Full}, {"cpu some", s.CPU.Some}}
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

// spanText are the numbers of a span, and how long it was.
func spanText(s pressure.Span) string {
	text := ""
	for _, x := range headline(s) {
		text += x.String() + ", "
	}
	return text + "over " + secondsText(s.Length())
}

// secondsText is a length of time of about a second and more.
func secondsText(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// moved says whether a number is another one than it was, or known no longer.
func moved(before, now pressure.Span) bool {
	b, n := headline(before), headline(now)
	for i := range n {
		if b[i].Known != n[i].Known || math.Abs(b[i].Percent()-n[i].Percent()) >= movedBy {
			return true
		}
	}
	return false
}
