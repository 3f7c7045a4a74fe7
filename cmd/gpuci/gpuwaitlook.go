package main

import (
	"context"
	"errors"
	"time"

	"gpuci/gates"
	"gpuci/kernels/device"
)

// lookOn looks again. A driver that was there and is not now may be on its way back. One
// that did not answer is asked for no longer than there is time, and may not do so again.
func (w *gpuWait) lookOn(ctx context.Context) error {
	before, hurry := w.survey, ctx
	if w.wait >= 0 && w.survey.Look.Silent != "" {
		left := w.wait - time.Since(w.began)
		if left <= 0 {
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		hurry = limited
	}
	w.lack, w.unfit = "", false
	err := w.look(hurry)
	c := coded{}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case hurry.Err() != nil:
		w.survey = before
		return nil
	case errors.As(err, &c):
		w.lack, w.unfit = c.text, c.code == exitUnfit
		return nil
	}
	return err
}

// look looks, and again for a moment where it cannot be told who is on a card that is
// meant. What others are does not hold it up.
func (w *gpuWait) look(ctx context.Context) (err error) {
	w.aim.Meant, w.aim.Enough = w.meant, w.enough
	w.survey, err = w.cards.SurveyOf(ctx, nil, &w.aim)
	w.now = time.Now()
	return cardError(err)
}

// enough says whether as many cards are quiet as are waited for.
func (w *gpuWait) enough(s gates.Survey) bool {
	cards, err := cardLook{survey: s}.chosen(w.gpu, w.count)
	free := 0
	for _, c := range cards {
		if c.Free() {
			free++
		}
	}
	return err == nil && free >= w.count
}

// meant are the cards of a look that the wait is for.
func (w *gpuWait) meant(look device.Look) (out []device.Seen, err error) {
	l := cardLook{survey: gates.Survey{Look: look}}
	for _, seen := range look.Cards {
		l.survey.Cards = append(l.survey.Cards, gates.CardState{Seen: seen})
	}
	cards, err := l.chosen(w.gpu, w.count)
	for _, c := range cards {
		out = append(out, c.Seen)
	}
	return out, err
}
