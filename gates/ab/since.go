package ab

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Since is what has changed since a decision was made.
type Since struct {
	Commits  int      `json:"commits"`         // of this lane, since the arm
	Files    []string `json:"files,omitempty"` // that the arm's build read; where that is not known, all but prose
	Known    bool     `json:"reads-known"`
	Settings bool     `json:"settings,omitempty"` // of the gate, or it is gone
	Driver   string   `json:"driver,omitempty"`   // the card's driver, where it is another one now
	NoCard   string   `json:"no-card,omitempty"`  // the card's model, where the driver tells of none such here
	Unknown  string   `json:"unknown,omitempty"`  // why it cannot be told
}

// Any says that something has.
func (s Since) Any() bool {
	return len(s.Files) > 0 || s.Settings || s.Unknown+s.Driver+s.NoCard != ""
}

// ChangedSince says it of a lane as it is committed. gate is nil where there is none of
// the name any more; books are files that we write ourselves, from the lane's root.
func ChangedSince(ctx context.Context, lane worktrees.Lane, d history.Decision, gate *config.Gate, books []string) Since {
	s := Since{Known: len(d.Reads) > 0, Settings: true}
	if gate != nil {
		arms, _ := ArmsOf(d) // of those that cannot be read all settings count
		s.Settings = !sameSettings(d.Settings, *gate, arms)
	}
	state, err := worktrees.ReadState(ctx, lane)
	if err != nil {
		s.Unknown = err.Error()
		return s
	}
	if _, err := worktrees.CommitOf(ctx, lane, d.Arm.Commit); errors.Is(err, worktrees.ErrGone) {
		s.Unknown = "its commit is not in this repository any more"
		return s
	}
	from, err := worktrees.MergeBase(ctx, lane, d.Arm.Commit, state.Commit)
	if err == nil && from == "" {
		s.Unknown = "its commit is not in the history of this lane"
		return s
	}
	var list []worktrees.Difference
	if err == nil {
		s.Commits, err = worktrees.CountBetween(ctx, lane, from, state.Commit)
	}
	if err == nil {
		list, err = worktrees.Between(ctx, lane, from, state.Commit)
	}
	if err != nil {
		s.Unknown = err.Error()
		return s
	}
	for _, x := range list {
		file := x.To.Path
		if s.Known && slices.Contains(d.Reads, file) || !s.Known && !prose(file) && !slices.Contains(books, file) {
			s.Files = append(s.Files, file)
		}
	}
	return s
}

// Cards says what is otherwise with the card a decision was made on; driver and models are
// those that are here, "" where the driver does not answer.
func (s *Since) Cards(d history.Decision, driver string, models []string) {
	if d.Card == "" || driver == "" {
		return
	}
	if d.Driver != "" && d.Driver != driver {
		s.Driver = driver
	}
	if !slices.ContainsFunc(models, func(m string) bool { return strings.Contains(d.Card, m) }) {
		s.NoCard = d.Card
	}
}

// prose says of a file that no gate reads it.
func prose(file string) bool {
	name := path.Base(file)
	return strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "README") || strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, ".git")
}
