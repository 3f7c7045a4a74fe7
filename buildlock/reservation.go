package buildlock

import (
	"errors"
	"fmt"
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
	Void    *Voided   `json:"void,omitempty"`    // root took it away
	Trouble string    `json:"trouble,omitempty"` // why its file cannot be understood: the card counts as reserved
	File    string    `json:"file"`
}

// ErrReserved says that somebody has reserved the card already.
var ErrReserved = errors.New("the card is reserved")

// ErrNoReservation says that there is no such reservation in force.
var ErrNoReservation = errors.New("no such reservation")

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

// Text says for people who has reserved a card, for how long and why.
func (r Reservation) Text(now time.Time) string {
	switch {
	case r.Trouble != "":
		return Printable(fmt.Sprintf("reserved by nobody knows whom: %s of %s cannot be understood (%s); remove the file if nobody needs the card", r.File, r.User, r.Trouble))
	case r.Held:
		what := "while pid " + fmt.Sprint(r.PID)
		if r.Command != "" {
			what += " (" + r.Command + ")"
		}
		return Printable(fmt.Sprintf("reserved by %s %s runs: %s", r.User, what, r.Why))
	}
	return Printable(fmt.Sprintf("reserved by %s until %s: %s", r.User, ClockText(r.Until, now), r.Why))
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
