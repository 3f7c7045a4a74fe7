package ab

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"gpuci/gates"
	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Options say what is compared. Gate, Lane, Root, State, ScratchDir and Prepare are
// required, and Arms but for one that is resumed.
type Options struct {
	Gate       config.Gate
	Lane       worktrees.Lane // that we stand in
	Root       string         // directory of gpuci.toml in it
	State      string         // directory of the runs; the journals are beside them
	ScratchDir string
	Arms       []Arm // the first is the base
	AA         bool  // they are the same on purpose
	Wanted     []Wanted
	Rule       Rule
	Bank       config.Bank // what an answer must meet to be banked
	Seed       uint64      // of the order and of what the runs are given; 0 draws one
	Resume     string      // id of a comparison to go on with
	Again      string      // the decision that is looked at again
	Books      string      // where the journal is kept, in place of State: of a gate that is held against its base
	BookFiles  []string    // that gpuci writes into the lane itself, from its root: a change of these alone is none
	Version    string      // of gpuci

	// Prepare gives the options under which the gate runs in a scratch lane; root is
	// the directory of gpuci.toml in it.
	Prepare func(scratch worktrees.Lane, root string) (gates.Options, error)

	Note func(string) // one line a change for who watches; may be nil
}

// Rule is what an answer must meet, and a decision.
type Rule struct {
	judge.Rule
	Warm int `json:"warm,omitempty"` // numbers of each run that are left out before its median
}

// session is one comparison on its way.
type session struct {
	o       Options
	journal *Journal
	report  *Report
	sides   []*side // the base, its twin and the arms
	told    time.Time
}

func (s *session) log() *Log { return &s.journal.Log }

// Run compares arms with the first of them. ctx ends it early, to be resumed. The error says why it could
// not begin, or be written down: an *ArmError is the caller's to mend, ErrHeld and
// ErrNoJournal are of Resume. The report is never nil, and says what came of it.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	s := &session{o: o, report: &Report{}}
	if err := s.open(); err != nil {
		return s.report, err
	}
	defer s.journal.Close()
	defer s.drop(ctx)
	err := s.through(ctx)
	switch {
	case ctx.Err() != nil:
		s.stopped(ctx)
		err = nil
	case err != nil && o.Resume == "" && len(s.log().Samples) == 0: // nothing came of it, and nothing could be gone on with
		return s.report, errors.Join(err, os.Remove(journalPath(o.books(), s.log().ID)))
	}
	s.sum()
	return s.report, errors.Join(err, s.end())
}

// open makes the journal, or goes on with the one that is to be resumed.
func (s *session) open() (err error) {
	o := s.o
	if o.Resume != "" {
		if s.journal, err = openJournal(o.State, o.Resume); err != nil {
			return err
		}
		return s.fits()
	}
	host, _ := os.Hostname()
	now := time.Now()
	if o.Seed == 0 {
		o.Seed = drawn()
	}
	s.journal, err = newJournal(o.books(), Session{
		ID: gates.NewID(now), Gate: o.Gate.Name, Settings: gates.SettingsID(o.Gate), Compared: comparedBy(o.Gate, o.Arms), Profile: o.Gate.Profile, Lane: o.Lane.Name,
		Started: now, Host: host, Gpuci: o.Version, Arms: o.Arms, AA: o.AA, Wanted: o.Wanted, Rule: o.Rule, Again: o.Again,
		Plan: judge.Plan{Control: o.Arms[0].Name, Arm: o.Arms[1].Name, Seed: o.Seed},
	})
	return err
}

// books is where the journal of a comparison that begins is kept.
func (o Options) books() string { return cmp.Or(o.Books, o.State) }

// fits says why a comparison cannot be gone on with by what is here now.
func (s *session) fits() error {
	l := s.log()
	host, _ := os.Hostname()
	switch {
	case l.Host != host:
		s.journal.Close()
		return &ArmError{fmt.Sprintf("comparison %s was begun on %s, and this is %s: times of two machines are not compared", l.ID, l.Host, host), "go on with it there, or begin anew without --resume"}
	case l.Gate != s.o.Gate.Name:
		s.journal.Close()
		return &ArmError{"comparison " + l.ID + " is of gate " + l.Gate, "gpuci ab --resume " + l.ID + " finds it by itself"}
	case l.Settings != gates.SettingsID(s.o.Gate):
		s.journal.Close()
		return &ArmError{"the settings of gate " + l.Gate + " are not what they were when comparison " + l.ID + " began", "begin anew, without --resume"}
	}
	return nil
}

// drawn is a seed by chance.
func drawn() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read does not fail
	return binary.LittleEndian.Uint64(b[:])>>1 + 1
}

// through goes all the way, or until something ends it.
func (s *session) through(ctx context.Context) error {
	if e := s.log().End; e != nil && (e.State == Answered || e.State == Failed) {
		return &ArmError{"comparison " + s.log().ID + " has ended", "begin anew, without --resume"}
	}
	if err := s.makeSides(ctx); err != nil {
		return err
	}
	if on, err := s.checkAll(ctx); err != nil || !on {
		return err
	}
	s.foresee()
	return s.sampleAll(ctx)
}

// foresee says before the first sample what will keep the answer from being banked.
func (s *session) foresee() {
	if s.log().AA || s.o.Books != "" { // a gate does not ask
		return
	}
	s.report.fill(s.log())
	for _, why := range Foreseen(s.report, s.o.Bank) {
		s.o.Note("mark: its answer could not be banked: " + why)
	}
}

// stopped writes down that somebody stopped it.
func (s *session) stopped(ctx context.Context) {
	exit := gates.ExitInterrupt
	if sig := (gates.Signalled{}); errors.As(context.Cause(ctx), &sig) {
		exit = sig.Exit
	}
	s.report.Exit = exit
	s.report.ended(End{State: Stopped, Why: "stopped by a signal"}, "gpuci ab --resume "+s.log().ID+" goes on with it")
}

// end closes the journal.
func (s *session) end() error {
	if s.report.End.State == "" {
		return nil // the error is said, and nothing was settled
	}
	s.report.End.At = time.Now()
	return s.journal.add(line{End: &s.report.End})
}

// mark adds a reservation about an arm, and writes it down: who banks the answer, or goes on
// with it, reads the journal.
func (s *session) mark(arm, text string) error { return s.note(Mark{Arm: arm, Text: text}) }

func (s *session) note(m Mark) error {
	s.report.mark(m.Text)
	if slices.Contains(s.log().Marks, m) {
		return nil
	}
	return s.journal.add(line{Mark: &m})
}
