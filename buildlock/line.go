package buildlock

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// DefaultWait is how long one link waits when nobody says: a build that links
// for longer than that one by one is stuck.
const DefaultWait = 30 * time.Minute

// Line is a place in line, for people.
type Line struct {
	Lock    Lock
	Place   int // 1 goes next
	Ahead   int // live tickets ahead of ours
	Slots   int // 0 when there is only a Note
	Waited  time.Duration
	Limit   time.Duration // of the wait; negative for none
	Holders []Entry       // who has the lock
	Note    string        // what else there is to say
	Held    bool          // it is our turn, and the pressure on this machine or a busy card holds us back: the Note says why
}

// String is the line as it is printed.
func (l Line) String() string {
	if l.Slots == 0 {
		return l.Note
	}
	text := fmt.Sprintf("waiting for the %s, %s in line, %s", l.Lock, ordinal(l.Place), Round(l.Waited))
	if l.Limit >= 0 {
		text += " of " + short(l.Limit)
	}
	text += l.holders()
	if l.Note != "" {
		text += ", " + l.Note
	}
	return text
}

func (l Line) holders() string {
	var list []string
	for _, h := range l.Holders {
		list = append(list, h.String())
	}
	if len(list) == 0 {
		return ""
	}
	return "; held by " + strings.Join(list, " and ")
}

func ordinal(n int) string {
	suffix := "th"
	switch n % 10 {
	case 1:
		suffix = "st"
	case 2:
		suffix = "nd"
	case 3:
		suffix = "rd"
	}
	if n%100 >= 11 && n%100 <= 13 {
		suffix = "th"
	}
	return strconv.Itoa(n) + suffix
}

// Round shortens a duration for people.
func Round(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// short is a duration without the zeros: 30m and not 30m0s.
func short(d time.Duration) string {
	s := Round(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// UserName is the name of a user of this machine, or "uid 1007". It reads
// /etc/passwd only: os/user would link a shim against libc.
func UserName(uid int) string {
	data, _ := os.ReadFile("/etc/passwd")
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(line, ":", 4)
		if len(f) == 4 && f[2] == strconv.Itoa(uid) {
			return f[0]
		}
	}
	return "uid " + strconv.Itoa(uid)
}
