package ab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/gates/ab/judge"
	"gpuci/worktrees"
)

// side is an arm in its scratch lane.
type side struct {
	Arm
	twin    bool // the arm's second lane: see makeSides
	scratch *worktrees.Scratch
	lane    worktrees.Lane // that it is, by the name under which lanes are listed
	root    string         // the directory of gpuci.toml in it
	tree    string
	commit  string
	clean   bool
	changes bool // a run of it does, in what git has of the lane
	ignored *ignored
	outside map[string]string // products as the check had them: see outsideOf
}

// label is the side for people.
func (d *side) label() string {
	if d.twin {
		return d.Name + " (again)"
	}
	return d.Name
}

// fetchTime bounds how long submodules may be fetched that are nowhere here.
const fetchTime = 10 * time.Minute

// makeSides makes the scratch lanes, two of each arm. The base has a second one since what
// another directory does to its times is part of the noise; an arm, since a round runs it
// twice by one seed: in one lane the second run would find what the first has left there
// for it, which the base's never do, and the arm would win over itself.
func (s *session) makeSides(ctx context.Context) error {
	for _, a := range s.log().Arms {
		for _, d := range []*side{{Arm: a}, {Arm: a, twin: true}} {
			if err := s.makeSide(ctx, d); err != nil {
				return err
			}
			s.o.Note(fmt.Sprintf("arm %s is %s, at %.10s", d.label(), d.Spec(), d.commit))
		}
	}
	return s.differ()
}

// makeSide makes one. Where it was made before, it is of the same commit, whatever its
// branch or lane has become; a lane with changes is copied as it is, and differ looks.
func (s *session) makeSide(ctx context.Context, d *side) error {
	from, commit := s.o.Lane, d.Commit
	if d.Lane != "" {
		var err error
		if from, err = s.laneNamed(ctx, d.Lane); err != nil {
			return err
		}
	}
	if commit == "" {
		var err error
		if commit, err = s.butBooks(ctx, from); err != nil {
			return err
		}
	}
	was := s.log().built(d.Name, d.twin)
	if was == nil { // its other lane is of the same
		was = s.log().built(d.Name, !d.twin)
	}
	if was != nil && (was.Clean || commit != "") {
		commit = was.Commit
	}
	scratch, err := worktrees.NewScratch(ctx, from, worktrees.ScratchOptions{
		Dir: s.o.ScratchDir, Commit: commit, Fetch: fetchTime, For: "arm " + d.Name + " of " + s.o.Gate.Name, Note: s.o.Note,
	})
	if errors.Is(err, worktrees.ErrGone) {
		return &GoneError{ArmError{fmt.Sprintf("arm %s: there is no commit %s", d.Name, commit), "git log --oneline --all has what there is"}}
	}
	if err != nil {
		return err
	}
	d.scratch, d.lane, d.root = scratch, scratch.Lane, scratch.Root
	s.sides = append(s.sides, d)
	if lane, err := worktrees.Find(ctx, scratch.Root); err == nil {
		d.lane = lane
	}
	for _, text := range scratch.Notes {
		if err := s.mark(d.Name, "arm "+d.Name+": "+text); err != nil {
			return err
		}
	}
	return s.settleSide(ctx, d)
}

// butBooks is the commit of a lane that has changes in our own books alone, which bank
// wrote and nobody has committed yet: its arm is that commit. "" for any other.
func (s *session) butBooks(ctx context.Context, from worktrees.Lane) (commit string, err error) {
	state, err := worktrees.ReadState(ctx, from)
	if err != nil || !state.Dirty || state.Count > len(s.o.BookFiles) {
		return "", err
	}
	for _, path := range state.Paths {
		if !slices.Contains(s.o.BookFiles, path) {
			return "", nil
		}
	}
	return state.Commit, nil
}

// settleSide finds the workspace in a scratch lane, edits it, and says which tree it is.
func (s *session) settleSide(ctx context.Context, d *side) error {
	if rel, err := filepath.Rel(s.o.Lane.Root, s.o.Root); err == nil && filepath.IsLocal(rel) {
		d.root = filepath.Join(d.scratch.Root, rel)
	}
	if info, err := os.Stat(d.root); err != nil || !info.IsDir() {
		return &ArmError{fmt.Sprintf("arm %s: it has no directory %s, where the gate is", d.Name, d.root), "name a commit that has it"}
	}
	state, err := worktrees.ReadState(ctx, d.scratch.Lane)
	if err != nil {
		return err
	}
	d.clean = !state.Dirty
	if err := d.edit(); err != nil {
		return err
	}
	if err := d.scratch.Keep(ctx); err != nil {
		return err
	}
	draft := d.scratch.Kept()
	d.tree, d.commit = draft.Tree, draft.Commit
	return nil
}

// laneNamed is a lane of the repository.
func (s *session) laneNamed(ctx context.Context, name string) (worktrees.Lane, error) {
	trees, err := worktrees.List(ctx, s.o.Lane)
	if err != nil {
		return worktrees.Lane{}, err
	}
	var known []string
	for _, t := range trees {
		if t.Name == name && !t.Removed {
			return t.Lane, nil
		}
		if _, scratch := worktrees.ScratchID(t); !scratch {
			known = append(known, t.Name)
		}
	}
	return worktrees.Lane{}, &GoneError{ArmError{fmt.Sprintf("there is no lane %q", name), "there is " + strings.Join(known, ", ")}}
}

// side is where a place of a plan is run: beside the base in its first lane the arm is in
// its first, and beside the twin in its second.
func (s *session) side(plan judge.Plan, p judge.Place) *side {
	twin := p.Twin || plan.Round(p.Round)[p.Slot^1].Twin
	for _, d := range s.sides {
		if d.Name == p.Arm && d.twin == twin {
			return d
		}
	}
	return nil // a plan names no other arms
}

// drop removes the scratch lanes.
func (s *session) drop(ctx context.Context) {
	for _, d := range s.sides {
		if err := d.scratch.Remove(ctx); err != nil {
			s.o.Note(fmt.Sprintf("remove a scratch lane: %v (the next gpuci ab tries again)", err))
		}
	}
	s.sides = nil
}
