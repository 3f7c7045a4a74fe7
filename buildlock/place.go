package buildlock

// Place is the place in line of a ticket of the queue that waits: 1 goes next.
// It is 0 for one that does not wait. No two have the same, though one that was
// just granted may not have said so yet.
func (q Queue) Place(number uint64) int {
	place, ahead := 0, 0
	for _, e := range q.Entries {
		if e.State == StateVoid {
			continue
		}
		if e.State == StateWaits {
			place = max(place+1, ahead-q.slotsOf(e)+1)
		}
		if e.Number == number {
			if e.State == StateWaits {
				return place
			}
			return 0
		}
		ahead++
	}
	return 0
}

// slotsOf is how many may hold the lock beside each other for one ticket: a
// build can have lowered the machine's number for its own links.
func (q Queue) slotsOf(e Entry) int {
	if e.Slots > 0 {
		return min(e.Slots, q.Slots)
	}
	return q.Slots
}

// Line is the place in line of a ticket of the queue, and who has the lock: the
// first ones in line, as many as there are slots, whether they have said so yet
// or not.
func (q Queue) Line(number uint64) Line {
	l := Line{Lock: q.Lock, Slots: q.Slots, Place: q.Place(number)}
	for _, e := range q.Entries {
		switch {
		case e.Number == number:
			l.Slots = q.slotsOf(e)
			return l
		case e.State == StateVoid:
			continue
		case l.Ahead < q.Slots:
			l.Holders = append(l.Holders, e)
		}
		l.Ahead++
	}
	return l
}
