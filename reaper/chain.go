package reaper

import (
	"fmt"
	"time"
)

// Chain is a chain of forks: a program that is orphaned anew all the time and never gets as old as
// the floor: each of them forks the next one in another session and ends, or
// something that lives starts it and lets go of it, as a build does whose
// wrapper forks twice. The two look the same, so nothing is sent to
// any of them once it is known.
type Chain struct {
	Judged               // the one that was seen last
	Seen   int           // how many different ones were
	For    time.Duration // between the first that was seen and the last
	Ended  int           // before it was known for a chain: they were old enough
}

// String says what it is. The one that was seen last has mostly gone by then.
func (c Chain) String() string {
	text := fmt.Sprintf("%s of lane %s: %d seen in %s, each too young to be ended, the last one pid %d in session %d",
		c.Program(), c.Lane, c.Seen, c.For.Round(time.Second/10), c.PID, c.Session)
	if c.Ended > 0 {
		text += fmt.Sprintf("; %d that were old enough were sent SIGKILL before it was known", c.Ended)
	}
	return text
}

// Has says whether a process, which need not be one of those that were seen, is
// of the chain.
func (c Chain) Has(j Judged) bool { return strainOf(c.Judged) == strainOf(j) }

// strain are the processes of a lane that run one program.
type strain struct{ lane, exe, program string }

func strainOf(j Judged) strain { return strain{j.Lane, j.Exe.Path, j.Program()} }
