package protected

import (
	"fmt"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// Run is a protected run that is there.
type Run struct {
	Rule     Rule
	PIDs     []int         // the topmost process first, then all below it; never ourselves or what we started
	Process  proc.Identity // of the topmost one
	UID      int           // its effective user, below 0 when that is not known
	Command  string        // its command line, or where that was not needed its name; clipped
	Since    time.Time
	Progress Progress
}

// Unknown is a rule of which it is not known what runs it has. A card that it
// names (every card, when it names none) is not to be had then.
type Unknown struct {
	Rule Rule
	Why  string // for people
}

// On says whether the run is on a card: the rule names it, or a process of the
// run is on it.
func (r Run) On(c Card) bool {
	return r.Rule.names(c) || slices.ContainsFunc(c.PIDs, func(pid int) bool { return slices.Contains(r.PIDs, pid) })
}

// On says whether a run of the rule may be on a card.
func (u Unknown) On(c Card) bool { return len(u.Rule.Cards) == 0 || u.Rule.names(c) }

// Text names what is not known, for a refusal.
func (u Unknown) Text() string {
	return fmt.Sprintf("whether the protected run %s is there is not known: %s", u.Rule.Name, u.Why)
}

// Text names the run for a refusal, and says when it will be over.
func (r Run) Text(now time.Time) string {
	who := fmt.Sprintf("protected run %s (pid %d %s, %s)", r.Rule.Name, r.Process.PID, userName(r.UID), r.Command)
	if !r.Since.IsZero() {
		who += " since " + clockText(r.Since, now)
	}
	return printable(who + ", " + r.FreeText(now))
}

// userName is the name of a user of this machine, or "uid 1007".
func userName(uid int) string {
	if uid < 0 {
		return "of an unknown user"
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(uid)
}

// clockText is a time for people: with its date when it is not today's.
func clockText(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// printable makes a text of somebody else's safe for one line of a terminal.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// maxCommand is how much of a command line is kept, in bytes.
const maxCommand = 200

func clip(s string) string {
	if len(s) <= maxCommand {
		return s
	}
	return strings.ToValidUTF8(s[:maxCommand], "") + "…"
}
