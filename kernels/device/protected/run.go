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
	Loose    bool          // the rule's command fits arguments of it alone
	Since    time.Time
	Progress Progress
}

// Unknown is a rule of which it is not known what runs it has, or on which card they
// are. A card that it names (every card, when it names none) is not to be had then.
type Unknown struct {
	Rule  Rule
	Why   string // for people
	Any   bool   // every card may be meant, whatever the rule names
	There bool   // a run is there, and its card is what is not known
}

// On says whether the run is on a card: the rule names it, or a process of the
// run is on it.
func (r Run) On(c Card) bool {
	return r.Rule.names(c) || slices.ContainsFunc(c.PIDs, func(pid int) bool { return slices.Contains(r.PIDs, pid) })
}

// On says whether a run of the rule may be on a card.
func (u Unknown) On(c Card) bool { return u.Any || len(u.Rule.Cards) == 0 || u.Rule.names(c) }

// Text names what is not known, for a refusal.
func (u Unknown) Text() string {
	if u.There {
		return fmt.Sprintf("on which card the protected run %s is is not known: %s", u.Rule.Name, u.Why)
	}
	return fmt.Sprintf("whether the protected run %s is there is not known: %s", u.Rule.Name, u.Why)
}

// Among holds what was found against the cards that are here. A rule that names
// another one has a slip of the pen in it, or its card has gone: then nobody knows
// which card its runs are on, and each of those here may be it.
func (l Look) Among(here []Card) Look {
	unknown := slices.Clone(l.Unknown)
	for i, u := range unknown {
		unknown[i].Any = u.Any || len(u.Rule.Missing(here)) > 0
	}
	for i, r := range l.Runs {
		names := r.Rule.Missing(here)
		same := func(o Run) bool { return o.Rule.Name == r.Rule.Name }
		if len(names) == 0 || slices.ContainsFunc(l.Runs[:i], same) {
			continue
		}
		why := fmt.Sprintf("pid %d is of its rule, which names %s, and no such card is here", r.Process.PID, strings.Join(names, ", "))
		unknown = append(unknown, Unknown{Rule: r.Rule, Why: why, Any: true, There: true})
	}
	return Look{Runs: l.Runs, Unknown: unknown}
}

// Text names the run for a refusal, and says when it will be over.
func (r Run) Text(now time.Time) string {
	who := fmt.Sprintf("protected run %s (pid %d %s, %s)", r.Rule.Name, r.Process.PID, userName(r.UID), r.Command)
	if !r.Since.IsZero() {
		who += " since " + Clock(r.Since, now)
	}
	return proc.Printable(who + ", " + r.FreeText(now))
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

// Clock is a time for people: of today the hour, else with its date.
func Clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// maxCommand is how much of a command line is kept, in bytes.
const maxCommand = 200

func clip(s string) string {
	if len(s) <= maxCommand {
		return s
	}
	return strings.ToValidUTF8(s[:maxCommand], "") + "…"
}
