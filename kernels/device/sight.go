package device

import (
	"slices"
	"time"
)

// sight is what was seen so far. It is a pure matter of looks and times.
type sight struct {
	watching Watching
	report   Report
	answered time.Time        // when the last answer came
	whole    time.Time        // and the last one to a full look
	since    int64            // of the driver's samples: those up to here are known of all cards, microseconds
	newest   map[string]int64 // and up to here of one

	last    glance               // what was left open by the last look
	before  map[key]Sighting     // foreign in one look, some time ago
	seen    map[key]*Sighting    // named
	away    map[key]*Sighting    // ours, on cards that are not
	own     map[key]bool         // ours, seen alive with the card's file open; with the start and without
	doubted map[key]*Doubt       // the last one of each number
	doubts  []*Doubt             // the first ones
	unknown map[string]*darkness // by card
	hidden  map[string]string    // cards of which the last two full looks said that somebody hides there, and why
	traces  map[string]traces    // what ours left on cards
	numbers map[string]*numbers

	glimpsed map[string]bool // cards of which the last full look said so
}

// glance is what one look leaves open for the next.
type glance struct {
	at       time.Time
	suspects map[key]Sighting  // foreign for the first time
	odd      map[key]int       // looks in a row in which /proc had another process of that number
	gone     map[key]time.Time // listed and not in /proc: since when
}

func newGlance(at time.Time) glance {
	return glance{at, map[key]Sighting{}, map[key]int{}, map[key]time.Time{}}
}

// key is a process on a card; start is 0 of one that /proc has no more.
type key struct {
	card  string
	pid   int
	start uint64
}

// numbers are the samples of one card.
type numbers struct {
	util, sm, mem, temperature, power []float64
	summary                           Summary
}

// period is what a sample of the driver's may look back: in the first one those may
// stand that were there before us.
const period = time.Second

func newSight(w Watching, now time.Time) sight {
	return sight{
		watching: w, report: Report{Began: now}, answered: now, whole: now, since: now.Add(period).UnixMicro(), newest: map[string]int64{},
		last: newGlance(now), before: map[key]Sighting{}, seen: map[key]*Sighting{}, away: map[key]*Sighting{}, own: map[key]bool{},
		doubted: map[key]*Doubt{}, unknown: map[string]*darkness{}, hidden: map[string]string{}, traces: map[string]traces{}, numbers: map[string]*numbers{},
		glimpsed: map[string]bool{},
	}
}

// add takes a look in.
func (s *sight) add(l Look, now time.Time) {
	r := &s.report
	s.gap(now)
	if l.Silent != "" {
		r.Failed = l.Silent
		return
	}
	s.answered = now
	if !l.quick {
		s.whole = now
	}
	r.Source, r.Looks = l.Source, r.Looks+1
	g := newGlance(l.At)
	for _, uuid := range s.watching.Cards {
		if c, ok := l.Find(uuid); ok {
			s.card(l, c, &g)
		} else {
			s.doubt(l.At, l.At, key{card: uuid, pid: -1}, "the driver does not list this card any more")
		}
	}
	for _, c := range l.Cards {
		if !slices.Contains(s.watching.Cards, c.UUID) {
			s.elsewhere(l.At, c)
		}
	}
	for k, was := range s.last.suspects {
		if _, still := g.suspects[k]; !still && s.seen[k] == nil && !s.own[k] {
			s.once(k, was)
		}
	}
	s.last = g
	s.uses(l)
}

// told is a look that was taken in, with what is known by that of the cards.
func (s *sight) told(l Look) Look {
	l.Cards = slices.Clone(l.Cards)
	for i := range l.Cards {
		l.Cards[i].Ours = s.oursAlone(l.At, l.Cards[i])
	}
	return l
}

// gap keeps the longest time without an answer, also to full looks alone: quick ones
// are answered of cards that the driver may have lost since. From nvidia-smi an answer
// comes no faster than it is asked, and takes its time.
func (s *sight) gap(now time.Time) {
	gap, most := now.Sub(s.answered), s.watching.Blind
	if s.report.Source == sourceSMI {
		most += bySMI + smiTime
	}
	s.report.Gap = max(s.report.Gap, gap)
	if whole := now.Sub(s.whole); gap > most || whole > most+s.watching.Each {
		s.report.Blind, s.report.Gap = true, max(s.report.Gap, whole)
	}
}

func (s *sight) card(l Look, c Seen, g *glance) {
	for _, p := range c.Own {
		k := key{c.UUID, p.PID, p.Start}
		s.own[k], s.own[key{c.UUID, p.PID, 0}] = true, true
		delete(s.seen, k) // the caller knows better by now
	}
	for _, p := range c.Foreign {
		switch k := (key{c.UUID, p.PID, p.Start}); {
		case p.Valid:
			s.foreign(l.At, k, p, g)
		case p.Why == whyGone:
			s.vanished(l.At, k, p, g)
		default:
			s.stranger(l.At, k, p, g)
		}
	}
	s.dark(l, c)
	s.memory(c)
}

// foreign names somebody who is there in two looks, whenever: by the first one the
// caller may not know yet of a child that was just born.
func (s *sight) foreign(at time.Time, k key, p Process, g *glance) {
	if found := s.seen[k]; found != nil {
		found.again(at, p)
		return
	}
	was, again := s.last.suspects[k]
	if !again {
		was, again = s.before[k]
	}
	if !again {
		g.suspects[k] = Sighting{Process: p, Card: k.card, First: at, Last: at, Peak: p.Memory, Looks: 1}
		return
	}
	was.again(at, p)
	s.seen[k] = &was
}

func (g *Sighting) again(at time.Time, p Process) {
	g.Process, g.Last = p, at
	g.Looks++
	if p.Memory.Known && p.Memory.Value > g.Peak.Or(-1) {
		g.Peak = p.Memory
	}
}
