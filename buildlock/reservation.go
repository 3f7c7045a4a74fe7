package buildlock

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reservation is a person's word that a card is theirs for a while: no gate takes
// it meanwhile.
type Reservation struct {
	Card    string    `json:"card"`           // UUID; "" of a file whose name is no reservation's
	Until   time.Time `json:"until,omitzero"` // zero when Held
	Held    bool      `json:"held,omitempty"` // for as long as a process has its file open
	Why     string    `json:"why"`
	UID     int       `json:"uid"` // of the file's owner: what the text says is not believed
	User    string    `json:"user"`
	Since   time.Time `json:"since"`
	PID     int       `json:"pid"`   // who made it
	Start   uint64    `json:"start"` // of that process, in clock ticks since boot
	Boot    string    `json:"boot"`  // which boot that was
	Command string    `json:"command,omitempty"`
	Index   *int      `json:"index,omitempty"`   // of the card when it was reserved, as nvidia-smi -L had it; nil: not known
	Left    bool      `json:"left,omitempty"`    // the process that made it is not there any more, and its file is open still
	Keepers []Keeper  `json:"keepers,omitempty"` // then: who, as far as we may look
	Void    *Voided   `json:"void,omitempty"`    // root took it away
	Trouble string    `json:"trouble,omitempty"` // why its file cannot be understood: the card counts as reserved
	File    string    `json:"file"`
}

// ErrReserved says that somebody has reserved the card already.
var ErrReserved = errors.New("the card is reserved")

// ErrNoReservation says that there is no such reservation in force.
var ErrNoReservation = errors.New("no such reservation")

// ErrOver says that the time for which a card is to be reserved is over.
var ErrOver = errors.New("the time is over")

// MaxWhy is how much of a reason is kept, in bytes.
const MaxWhy = maxText

// ReservedError names the reservation that is in the way.
type ReservedError struct{ Reservation Reservation }

func (e *ReservedError) Error() string {
	return fmt.Sprintf("card %s is %s", e.Reservation.Card, e.Reservation.Text(time.Now()))
}

// Is makes it an ErrReserved.
func (e *ReservedError) Is(target error) bool { return target == ErrReserved }

// notTheirsError says that a reservation is another user's to give up.
type notTheirsError struct{ Reservation }

func (e notTheirsError) Error() string {
	return fmt.Sprintf("the reservation of card %s is that of %s: only that user and root may give it up", e.Card, e.User)
}

// Is makes it an error of the wrong user.
func (e notTheirsError) Is(target error) bool { return target == ErrNotOwner }

// notRemovedError says that what stands for a reservation cannot be removed from here.
type notRemovedError struct {
	file string
	err  error
}

func (e notRemovedError) Error() string { return fmt.Sprintf("give up %s: %v", e.file, e.err) }

func (e notRemovedError) Unwrap() error { return e.err }

// Is makes it an error of an unfit directory.
func (e notRemovedError) Is(target error) bool { return target == ErrUnfit }

// Text says for people who has reserved a card, for how long and why.
func (r Reservation) Text(now time.Time) string {
	switch {
	case r.Trouble != "":
		return Printable(fmt.Sprintf("reserved by nobody knows whom: %s of %s cannot be understood (%s); remove the file if nobody needs the card", r.File, r.User, r.Trouble))
	case r.Left:
		return Printable(fmt.Sprintf("reserved by %s while %s: %s", r.User, r.keptText(), r.Why))
	case r.Held:
		what := "while pid " + fmt.Sprint(r.PID)
		if r.Command != "" {
			what += " (" + r.Command + ")"
		}
		return Printable(fmt.Sprintf("reserved by %s %s runs: %s", r.User, what, r.Why))
	}
	return Printable(fmt.Sprintf("reserved by %s until %s: %s", r.User, ClockText(r.Until, now), r.Why))
}

// keptText says who keeps a reservation whose maker is gone.
func (r Reservation) keptText() string {
	var parts []string
	for _, k := range r.Keepers {
		parts = append(parts, fmt.Sprintf("pid %d (%s)", k.PID, k.Comm))
	}
	switch len(parts) {
	case 0: // another user's, or out of sight in another pid namespace
		return fmt.Sprintf("pid %d, or what it has started, runs", r.PID)
	case 1:
		return fmt.Sprintf("%s runs, which pid %d has left", parts[0], r.PID)
	}
	return fmt.Sprintf("%s run, which pid %d has left", strings.Join(parts, " and "), r.PID)
}

// Stray says for people that a file stands among the reservations and is none: whoever
// made it may believe that a card is reserved.
func (r Reservation) Stray() string {
	return Printable(fmt.Sprintf("%s of %s reserves no card: %s; reserve it with gpuci gpu hold, and remove the file", r.File, r.User, r.Trouble))
}

// ClockText is a time of this machine's zone for people: the hour, and the date
// when it is not today's.
func ClockText(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// ReservedBy picks the reservations of one card.
func ReservedBy(list []Reservation, card string) (out []Reservation) {
	for _, r := range list {
		if r.Card == card && card != "" {
			out = append(out, r)
		}
	}
	return out
}
