package notes

import (
	"context"
	"errors"
	"time"

	"gpuci/worktrees"
)

// maxBetween bounds how many differences are kept of two commits.
const maxBetween = 2000

// changes are the paths that are otherwise than in a commit.
type changes struct {
	between
	name  string          // in the cache
	paths map[string]bool // whether the change is committed
	err   error
}

// between is what can never change of two commits.
type between struct {
	Form  int                    `json:"form"`
	Since worktrees.Commit       `json:"since"`
	List  []worktrees.Difference `json:"list,omitempty"`
	Had   map[string]bool        `json:"had,omitempty"`  // whether the first one has a path
	Link  map[string]bool        `json:"link,omitempty"` // and that it is a symbolic link
	By    map[string]step        `json:"by,omitempty"`   // the first commit that changed a file
}

// step is a commit as it is kept; of a history that was rewritten the zero one.
type step struct {
	ID   string    `json:"id"`
	When time.Time `json:"when,omitzero"`
}

// since finds what is otherwise than in a commit, once for each.
func (j *Judge) since(ctx context.Context, id string) *changes {
	if c, ok := j.between[id]; ok {
		return c
	}
	c := j.readSince(ctx, id)
	if j.between == nil {
		j.between = make(map[string]*changes)
	}
	j.between[id] = c
	return c
}

func (j *Judge) readSince(ctx context.Context, id string) *changes {
	if j.Lane.Root == "" {
		return &changes{err: errors.New("this is outside of git")}
	}
	c := &changes{name: cacheName("since", id, j.Draft.Commit)}
	if !shelf(j.Cache).read(c.name, &c.between) || c.Form != form {
		c.between = between{Form: form}
		if c.Since, c.err = worktrees.CommitOf(ctx, j.Lane, id); c.err == nil {
			c.List, c.err = worktrees.Between(ctx, j.Lane, c.Since.ID, j.Draft.Commit)
		}
		if c.err != nil {
			return c
		}
		j.keep(c)
	}
	c.paths = make(map[string]bool)
	was := make(map[string]worktrees.Leaf)
	for _, d := range c.List {
		c.paths[d.From.Path], was[d.From.Path] = true, d.From
	}
	for _, l := range j.Draft.Leaves {
		before, moved := was[l.Path]
		switch {
		case moved && before.Mode == l.Mode && before.ID == l.ID:
			delete(c.paths, l.Path) // back to what it was, and not committed yet
		case !moved:
			c.paths[l.Path] = false
		}
	}
	return c
}

// keep keeps what was found out of two commits, where it is not too much.
func (j *Judge) keep(c *changes) {
	if len(c.List) <= maxBetween {
		shelf(j.Cache).write(c.name, c.between)
	}
}

// had says whether the commit has something at a path, and whether that is a link.
func (j *Judge) had(ctx context.Context, c *changes, path string) (there, link bool, err error) {
	if there, asked := c.Had[path]; asked {
		return there, c.Link[path], nil
	}
	if there, err = worktrees.Holds(ctx, j.Lane, c.Since.ID, path); err == nil && there {
		link, err = worktrees.IsLink(ctx, j.Lane, c.Since.ID, path)
	}
	if err != nil {
		return false, false, err
	}
	if c.Had == nil {
		c.Had = make(map[string]bool)
	}
	if c.Had[path] = there; link {
		if c.Link == nil {
			c.Link = make(map[string]bool)
		}
		c.Link[path] = true
	}
	j.keep(c)
	return there, link, nil
}

// by names the first commit that changed a file since the one that a note names.
// Where the history was rewritten there is none, and it is otherwise all the same.
func (j *Judge) by(ctx context.Context, c *changes, name string) (first step) {
	if first, asked := c.By[name]; asked {
		return first
	}
	steps, err := worktrees.Steps(ctx, j.Lane, c.Since.ID, j.Draft.Commit, name)
	if err != nil {
		return first
	}
	if len(steps) > 0 {
		first.ID = steps[len(steps)-1].Commit
		one, err := worktrees.CommitOf(ctx, j.Lane, first.ID)
		if err != nil {
			return first
		}
		first.When = one.When
	}
	if c.By == nil {
		c.By = make(map[string]step)
	}
	c.By[name] = first
	j.keep(c)
	return first
}
