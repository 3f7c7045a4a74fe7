package main

import (
	"fmt"
	"strconv"
	"strings"

	"gpuci/buildlock"
)

// awayRows are the rows about cards that are reserved, and that the driver does not show:
// who has reserved one may want to give it back.
func (l cardLook) awayRows(b *strings.Builder) {
	last := ""
	for _, r := range l.survey.Away {
		if r.Card != last {
			fmt.Fprintf(b, "%s: reserved, and the driver does not show it, %s\n", awayName(r), printable(r.Card))
		}
		last = r.Card
		rowsBelow(b)("reserved", strings.TrimPrefix(r.Text(l.now), "reserved "))
	}
}

// awayName is such a card, with the number that it had when it was reserved.
func awayName(r buildlock.Reservation) string {
	text := "card"
	if r.Index != nil {
		text += " " + strconv.Itoa(*r.Index)
	}
	return text + " (" + printable(buildlock.ShortCard(r.Card)) + ")"
}
