package device

import (
	"slices"
	"time"
)

// sight is what was seen so far. It is a pure matter of looks and times.
type sight struct {
	watching Watching
	report   Report
	answered time.Time // when the last answer came
	since    int64     // of the driver's samples: those up to here are known, microseconds

	suspects map[key]Sighting  // foreign in the last look, for the first time
	seen     map[key]*Sighting // named
	away     map[key]*Sighting // ours, on cards that are not
	own      map[key]bool      // ours, seen alive with the card's file open
	doubted  map[key]bool      // counted
	odd      map[key]int       // looks in a row in which /proc had another process of that number
	lasted   map[lasted]bool   // counted, of what stays
	gone     map[key]time.Time // listed and not in /proc: since when
	unknown  map[string]int    // looks in a row in which a card was Unknown otherwise
	numbers  map[string]*numbers
}

// key is a process on a card; start is 0 of one that /proc has no more.
type key struct {
	card  string
	pid   int
	start uint64
}

// lasted is one of the doubts about a number that stays.
type lasted struct {
	card string
	pid  int
	n    int
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
		watching: w, report: Report{Began: now}, answered: now, since: now.Add(period).UnixMicro(),
		suspects: map[key]Sighting{}, seen: map[key]*Sighting{}, away: map[key]*Sighting{}, own: map[key]bool{},
		doubted: map[key]bool{}, odd: map[key]int{}, lasted: map[lasted]bool{}, gone: map[key]time.Time{}, unknown: map[string]int{}, numbers: map[string]*numbers{},
	}
}

// add takes a look in.
func (s *sight) add(l Look, now time.Time) {
	r := &s.report
	if l.Silent != "" {
		r.Failed = l.Silent
		s.gap(now)
		return
	}
	s.gap(now)
	s.answered = now
	r.Source, r.Looks = l.Source, r.Looks+1
	suspects, unknown := map[key]Sighting{}, map[key]int{}
	for _, uuid := range s.watching.Cards {
		if c, ok := l.Find(uuid); ok {
			s.card(l.At, c, suspects, unknown)
		} else {
			s.doubt(l.At, key{card: uuid, pid: -1}, "the driver does not list this card any more")
		}
	}
	for _, c := range l.Cards {
		if !slices.Contains(s.watching.Cards, c.UUID) {
			s.elsewhere(l.At, c)
		}
	}
	for k, g := range s.suspects {
		if _, still := suspects[k]; !still && s.seen[k] == nil && !s.own[k] {
			s.once(k, g)
		}
	}
	s.suspects, s.odd = suspects, unknown
	s.uses(l)
}

// gap keeps the longest time without an answer. From nvidia-smi an answer comes no
// faster than it is asked, and takes its time.
func (s *sight) gap(now time.Time) {
	gap, most := now.Sub(s.answered), s.watching.Blind
	if s.report.Source == sourceSMI {
		most += bySMI + smiTime
	}
	s.report.Gap = max(s.report.Gap, gap)
	s.report.Blind = s.report.Blind || gap > most
}

func (s *sight) card(at time.Time, c Seen, suspects map[key]Sighting, unknown map[key]int) {
	for _, p := range c.Own {
		k := key{c.UUID, p.PID, p.Start}
		s.own[k] = true
		delete(s.seen, k) // the caller knows better by now
	}
	for _, p := range c.Foreign {
		switch k := (key{c.UUID, p.PID, p.Start}); {
		case p.Valid:
			s.foreign(at, k, p, suspects)
		case p.Why == whyGone:
			s.vanished(at, k, p)
		default:
			s.stranger(at, k, p, unknown)
		}
	}
	s.dark(at, c)
	s.memory(c)
}

// foreign names somebody who is there in two looks: by the first one the caller may
// not know yet of a child that was just born.
func (s *sight) foreign(at time.Time, k key, p Process, suspects map[key]Sighting) {
	if g := s.seen[k]; g != nil {
		g.again(at, p)
		return
	}
	was, again := s.suspects[k]
	if !again {
		suspects[k] = Sighting{Process: p, Card: k.card, First: at, Last: at, Peak: p.Memory, Looks: 1}
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
