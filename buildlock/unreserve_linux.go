package buildlock

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Unreserve gives up what a user has reserved of a card. Of ourselves (uid is
// ours, or below 0) the files are removed. Of another user only root may, and says
// why: the file stays until it expires, with the word of who took it away. A file
// that cannot be understood is removed, and an empty directory in its place. The error wraps ErrNoReservation when
// there is none, and ErrNotOwner when it is somebody else's.
func Unreserve(ctx context.Context, dir, card string, uid int, why string) error {
	if uid < 0 {
		uid = os.Geteuid()
	}
	if _, err := Card(card); err != nil {
		return err
	}
	q, leave, err := enterReserved(ctx, dir)
	if err != nil {
		return err
	}
	defer q.close()
	defer leave()
	list, err := q.tidy()
	if err != nil {
		return err
	}
	found := false
	for _, r := range ReservedBy(list, card) {
		if r.UID != uid {
			continue
		}
		found = true
		if err := q.giveUp(r, why); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%w: %s has none of card %s in force", ErrNoReservation, UserName(uid), card)
	}
	return nil
}

// giveUp ends one reservation.
func (q queue) giveUp(r Reservation, why string) error {
	us := os.Geteuid()
	switch {
	case us == r.UID, us == 0 && r.Trouble != "":
		if err := q.forget(r); err != nil {
			return notRemovedError{r.File, err}
		}
		return nil
	case us != 0:
		return notTheirsError{r}
	case why == "":
		return fmt.Errorf("the reservation of card %s is that of %s: say why it is taken away", r.Card, r.User)
	}
	word, err := json.Marshal(Voided{Clip(why), us, time.Now()})
	if err != nil {
		return err
	}
	name := filepath.Base(r.File) + voidSuffix
	if err := q.aside(name); err != nil {
		return err
	}
	if err := q.make(name, string(word)+"\n"); err != nil {
		return fmt.Errorf("take the reservation of card %s away: %w", r.Card, err)
	}
	return nil
}
