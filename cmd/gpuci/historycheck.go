package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history/tsv"
	"gpuci/worktrees"
)

func (a *app) historyCheckCommand() *cobra.Command {
	asJSON, all := false, false
	cmd := &cobra.Command{
		Use:   "check",
		Short: "say whether the history file for git still holds all it ever held here",
		Long: `check holds the file of [history] tsv against what it was: in the last commit,
where this branch left the base branch, and in every commit since then with each
of its parents. A line that was there must be there, unchanged and in the order
it had, whatever stands between; a row that says otherwise of a run than another
one, and what a merge left behind, are found as well. A file that was moved is held against
what it was where gpuci.toml named it then. Nothing is written.

A line that a commit lost and a later one put back is not lost. On the base
branch, of the commits that changed the file the last 200 are looked at, and how
many there are before these is said; --all looks at every one.

The file is appended to by gpuci history export. Branches that both append are
merged by keeping the lines of both, with this line in .gitattributes:

  benches/history.tsv merge=union

Examples:
  gpuci history check
  gpuci history check && git commit -m "bench: rows of this week" benches/history.tsv

Exit codes: 0 all is there, 100 something was changed or lost, 4 there is no such
file here or none is named, 64 usage, 69 git cannot tell, 78 configuration.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = asJSON
			return a.historyCheck(cmd, all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "look at every commit that changed the file, not only the last 200")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}

// tsvFile is the history file of a workspace.
type tsvFile struct {
	lane worktrees.Lane
	path string // absolute
	name string // from the lane's root, as git has it
}

var errNoTSV error = coded{gates.ExitNothing, "gpuci.toml names no history file for git", `add [history] and below it tsv = "benches/history.tsv"`}

func newTSVFile(cfg *config.Config, lane worktrees.Lane) (tsvFile, error) {
	if cfg.History.TSV == "" {
		return tsvFile{}, errNoTSV
	}
	f := tsvFile{lane: lane, path: filepath.Join(cfg.Root, cfg.History.TSV)}
	if lane.Root == "" {
		return f, nil
	}
	name, err := filepath.Rel(lane.Root, f.path)
	f.name = filepath.ToSlash(name)
	return f, err
}

// checked is what came of holding a file against what it was.
type checked struct {
	Type    string   `json:"type"` // always "check"
	File    string   `json:"file"`
	Rows    int      `json:"rows"`
	Commits int      `json:"commits"` // that it was held against
	Older   int      `json:"commits-not-looked-at,omitempty"`
	Since   string   `json:"since,omitempty"`
	Lost    []missed `json:"lost,omitempty"`
	Wrong   []string `json:"wrong,omitempty"` // lines that are no rows, or contradict others
	Union   bool     `json:"merge-union"`

	all   bool            // look at every commit
	now   map[string]bool // the lines of the file as it is
	moves *moves          // where it was
}

// missed is a line that one form of the file has and a later one has not.
type missed struct {
	From string `json:"from"`           // a commit
	To   string `json:"to"`             // a commit, or "" for the file as it is
	File string `json:"file,omitempty"` // where it was, if that was elsewhere
	tsv.Loss
}

func (a *app) historyCheck(cmd *cobra.Command, all bool) error {
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	f, err := newTSVFile(cfg, lane)
	if err != nil {
		return err
	}
	if lane.Root == "" {
		return coded{gates.ExitNothing, "outside of git there is nothing to hold it against", "stand in a worktree"}
	}
	data, err := tsv.ReadBytes(f.path)
	if errors.Is(err, fs.ErrNotExist) && worktrees.Unborn(cmd.Context(), lane) {
		return coded{gates.ExitNothing, "there is no " + f.name + " yet", "gpuci history export makes it"}
	}
	if errors.Is(err, tsv.ErrNoFile) {
		return coded{exitUnfit, err.Error(), "put a plain file in its place: git log -- " + f.name + " has what it held"}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the history file: %w", err)
	}
	c, err := f.check(cmd.Context(), data, cfg, all)
	if err != nil {
		return coded{exitUnfit, err.Error(), "is the repository whole? git fsck says; a shallow clone has no history to hold it against"}
	}
	if a.json {
		err = a.jsonLine(c)
	} else {
		err = c.text(a.out)
	}
	if err == nil && len(c.Lost)+len(c.Wrong) > 0 {
		err = coded{code: gates.Red.ExitCode()}
	}
	return err
}

// maxCommits bounds how far back the commits are walked, unless all are asked
// for: each costs some git, of 5 ms.
const maxCommits = 200

func (f tsvFile) check(ctx context.Context, now []byte, cfg *config.Config, all bool) (checked, error) {
	c := checked{Type: "check", File: f.name, all: all, now: make(map[string]bool)}
	for line := range strings.Lines(string(now)) {
		c.now[strings.TrimRight(line, "\r\n")] = true
	}
	if attr, err := worktrees.Attribute(ctx, f.lane, f.name, "merge"); err == nil {
		c.Union = attr == "union"
	}
	if file, err := tsv.Parse(now); err != nil {
		c.Wrong = []string{err.Error()}
	} else {
		c.Rows, c.Wrong = file.Rows(), file.Problems
	}
	if worktrees.Unborn(ctx, f.lane) {
		return c, nil
	}
	since, err := f.since(ctx, cfg.Workspace.Base)
	if err == nil {
		c.moves, err = f.moved(ctx, cfg.Root, since, all)
	}
	if err == nil {
		err = f.hold(ctx, &c, "HEAD", "", now)
	}
	if err != nil {
		return c, err
	}
	if c.Since = since; since != "" {
		if err := f.hold(ctx, &c, since, "", now); err != nil {
			return c, err
		}
	}
	return c, f.steps(ctx, &c, since)
}

// since is where the branch left its base; "" on the base branch itself, and
// where there is none.
func (f tsvFile) since(ctx context.Context, named string) (string, error) {
	base, err := worktrees.BaseOf(ctx, f.lane, named)
	if errors.Is(err, worktrees.ErrNoBase) && named == "" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	fork, err := worktrees.MergeBase(ctx, f.lane, "HEAD", base.Commit)
	if err != nil {
		return "", err
	}
	if on, err := worktrees.Contains(ctx, f.lane, base.Commit, "HEAD"); err != nil || on {
		return "", err
	}
	return fork, nil
}

// steps holds each commit of the file against those it came from.
func (f tsvFile) steps(ctx context.Context, c *checked, since string) error {
	steps, err := c.moves.steps(ctx, since)
	if err != nil {
		return err
	}
	if !c.all && len(steps) > maxCommits {
		c.Older, steps = len(steps)-maxCommits, steps[:maxCommits]
	}
	for _, step := range steps {
		name, err := c.moves.at(ctx, step.Commit)
		if err != nil {
			return err
		}
		now, _, err := worktrees.FileAt(ctx, f.lane, step.Commit, name)
		if err != nil {
			return err
		}
		c.Commits++
		for _, parent := range step.Parents {
			if err := f.hold(ctx, c, parent, step.Commit, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// hold adds what a later form of the file does not hold of an earlier one.
func (f tsvFile) hold(ctx context.Context, c *checked, from, to string, later []byte) error {
	name, err := c.moves.at(ctx, from)
	if err != nil {
		return err
	}
	earlier, there, err := worktrees.FileAt(ctx, f.lane, from, name)
	if err != nil || !there {
		return err
	}
	if name == f.name {
		name = "" // as everybody takes it
	}
	for _, l := range tsv.Held(earlier, later) {
		if to != "" && c.now[l.Line] { // put back since, or only moved: what the file has now counts
			continue
		}
		if !c.said(l) {
			c.Lost = append(c.Lost, missed{from, to, name, l})
		}
	}
	return nil
}

// said says whether that very line was missed in a later form already.
func (c checked) said(l tsv.Loss) bool {
	for _, before := range c.Lost {
		if before.Line == l.Line && before.Moved == l.Moved {
			return true
		}
	}
	return false
}
