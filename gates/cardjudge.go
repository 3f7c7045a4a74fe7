package gates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/kernels/device"
)

// judgeWatch says whether what the run gave stands, and if not, why.
func (f *flow) judgeWatch(w *watching, r device.Report) bool {
	stands := f.stayedOn(r)
	fail := func(why, text string) {
		f.owe(why, text)
		f.find(Refused, text)
		f.nextAgain()
		stands = false
	}
	came := f.came(r)
	f.v.Card.Came = came
	switch {
	case w.guard.ended() != "":
		fail(OweContended, w.guard.ended())
	case len(came) > 0 && !f.card.share:
		fail(OweContended, contended+strings.Join(came, ", ")+"; what the run gave does not stand")
	case r.Unsure() != "":
		fail(OweUnknown, "who was on the card while it ran is not known: "+r.Unsure())
	case w.guard.unsure() != "":
		fail(OweUnknown, w.guard.unsure())
	case len(came) > 0:
		f.mark(contended + strings.Join(came, ", "))
		f.sharedSeries()
	}
	return stands
}

// contended begins what is said of somebody who came.
const contended = "contended: on the card came "

// came are those who came on the cards while the gate ran.
func (f *flow) came(r device.Report) (out []string) {
	for _, s := range r.Foreign {
		was := slices.ContainsFunc(f.card.states, func(c CardState) bool {
			return slices.ContainsFunc(c.Foreign, func(p device.Process) bool { return p.PID == s.PID && p.Start == s.Start })
		})
		if !was {
			if !s.Memory.Known {
				s.Memory = s.Peak
			}
			out = append(out, f.card.Who(s.Process)+" at "+s.First.Local().Format(time.TimeOnly)+f.onWhich(s.Card))
		}
	}
	return out
}

// onWhich says on which card, where there are several.
func (f *flow) onWhich(uuid string) string {
	at := slices.IndexFunc(f.card.states, func(c CardState) bool { return c.UUID == uuid })
	if len(f.card.all) < 2 || at < 0 {
		return ""
	}
	return ", on " + f.card.states[at].Label()
}

// stayedOn says whether the gate's processes stayed on the cards it was given: numbers
// of another card are not the gate's, and there somebody may be at work.
func (f *flow) stayedOn(r device.Report) bool {
	if len(r.Elsewhere) == 0 {
		return true
	}
	var parts []string
	for _, s := range r.Elsewhere {
		parts = append(parts, f.card.Who(s.Process)+" on "+s.Card)
	}
	f.find(Broken, "it was on a card that it was not given ("+strings.Join(f.v.Card.UUIDs, ", ")+"): "+strings.Join(parts, ", "))
	f.next("take " + visibleVar + " and fixed numbers of cards out of what it runs: gpuci gives it its card")
	return false
}

// throttledMark begins the mark of times that are worse than the card's own.
const throttledMark = "throttled: "

// cardMarks says what makes times worse than the card.
func (f *flow) cardMarks(r device.Report) {
	for _, c := range r.Cards {
		if len(c.Throttle) > 0 && f.gate.Measured() == config.MeasuresTime {
			f.mark(throttledMark + strings.Join(c.Throttle, ", ") + " on " + c.Card.Label())
		}
		if over := c.PeakOwn; f.gate.VRAM > 0 && over.Known && over.Value > f.gate.VRAM {
			f.mark(fmt.Sprintf("it used %s of %s, and vram in gpuci.toml says %s", device.Size(over.Value), c.Card.Label(), device.Size(f.gate.VRAM)))
		}
		if c.OwnLooks == 0 && r.Looks > 0 {
			f.mark(fmt.Sprintf("%s%s, in %d looks and the driver's samples", unusedMark, c.Card.Label(), r.Looks))
		}
	}
	if !r.Unseen && !f.card.passed() {
		f.leftOn(r.Last)
	}
}

// unusedMark begins the mark of a gate that may have measured something else than a card.
const unusedMark = "none of its processes was seen on "

// leftOn says what of the gate is still on its cards when all has ended: a daemon that
// may stay, or one that would not end. Its dead may be listed for a moment still.
func (f *flow) leftOn(look device.Look) {
	for _, uuid := range f.v.Card.UUIDs {
		card, _ := look.Find(uuid)
		left := slices.DeleteFunc(slices.Clone(card.Own), func(p device.Process) bool { return !p.Valid })
		if len(left) > 0 {
			f.mark("still on " + card.Label() + " when it had ended: " + f.card.whoIsOn(left))
		}
	}
}
