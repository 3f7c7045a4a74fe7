package trace

import (
	"fmt"
	"strings"
)

// deviceTimes are how long the cards were busy for a step, where both sides know.
func deviceTimes(a, b *StageReport) (list []TimeChange) {
	for i := range a.Device {
		for j := range b.Device {
			what := deviceBusy
			if len(a.Device) > 1 || len(b.Device) > 1 {
				what += fmt.Sprintf(" of card %d", a.Device[i].Card)
			}
			if a.Device[i].Card == b.Device[j].Card || what == deviceBusy {
				list = append(list, TimeChange{What: what, A: a.Device[i].Busy, B: b.Device[j].Busy})
			}
		}
	}
	return list
}

const deviceBusy = "device"

// ofCard says that it is a card's time.
func (t TimeChange) ofCard() bool { return strings.HasPrefix(t.What, deviceBusy) }
