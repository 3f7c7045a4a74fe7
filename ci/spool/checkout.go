package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/worktrees"
)

// Checkout is a content on a node, ready for a gate to be run in.
type Checkout struct {
	Lane   worktrees.Lane // of the checkout; of an archive it has no root
	Root   string         // directory of gpuci.toml
	State  string         // where the run is recorded, with the past in it
	Env    []string       // "k=v", where build products go
	Commit string
}

// Failure says why a gate cannot be run on a node.
type Failure struct {
	Outcome gates.Outcome // Refused: another node, or a later time, may do; Broken
	Content bool          // nothing of this content can be run
	Text    string
	Next    string
}

func (f *Failure) Error() string { return f.Text }

// fetchTime is how long a submodule that did not come along may be fetched.
const fetchTime = 10 * time.Minute

// CheckOut unpacks the content, and proves that it is the one of the order. The error is a
// *Failure, or the context's.
func (j *Job) CheckOut(ctx context.Context) (Checkout, error) {
	s, err := j.makeScratch(ctx)
	if err != nil {
		return Checkout{}, &Failure{Outcome: gates.Refused, Text: "there is no place for a checkout: " + err.Error(), Next: "scratch in [slurm] names a directory that every node has"}
	}
	j.scratch = s
	out := Checkout{Commit: j.Commit, Root: filepath.Join(s.dir, "bundle"), State: filepath.Join(s.dir, "state")}
	if j.Order.Archive != "" {
		err = j.unpackArchive(ctx, out.Root)
		out.Lane.Name = "bundle"
	} else {
		err = j.unpackContent(ctx, &out)
	}
	if err == nil {
		err = j.takePast(ctx, out.State)
	}
	if err != nil {
		return Checkout{}, j.failure(ctx, err)
	}
	return out, nil
}

// failure tells what is of this node, where another one may do, from what is of the
// content.
func (j *Job) failure(ctx context.Context, err error) error {
	var f *Failure
	var nowhere *worktrees.SubmoduleError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &f):
		return f
	case errors.As(err, &nowhere):
		return &Failure{Outcome: gates.Broken, Content: true, Text: err.Error(), Next: "check it out in a lane where gates are handed over: git submodule update --init --recursive"}
	case errors.Is(err, exec.ErrNotFound):
		return &Failure{Outcome: gates.Refused, Text: "its content cannot be checked out: " + err.Error(), Next: "install git on the nodes, or let [gate.slurm] say carry = \"bundle\""}
	case full(err):
		return &Failure{Outcome: gates.Refused, Text: "there is no room for a checkout in " + j.scratch.dir + ": " + err.Error(), Next: "make room there, or name another directory by scratch in [slurm]"}
	}
	if bad := j.soundContent(); bad != nil {
		return &Failure{Outcome: gates.Broken, Content: true, Text: "its content did not come whole: " + bad.Error(), Next: "remove " + filepath.Join(j.place.dir, "contents") + " while no night runs, and run it again"}
	}
	return &Failure{Outcome: gates.Refused, Text: "its content cannot be checked out here: " + err.Error(), Next: "is the disk of the node in order, and its git not older than 2.25? scratch in [slurm] names another directory"}
}

// soundContent says whether all that the order names is there as it was packed.
func (j *Job) soundContent() error {
	if j.Order.Archive != "" {
		return j.soundArchive()
	}
	c, err := j.place.content(j.Content)
	if err != nil {
		return err
	}
	for _, key := range c.keys(j.Content) {
		one, err := j.place.content(key)
		if err == nil {
			err = j.place.sound(one, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unpackContent makes a repository of the content, and a scratch lane of that.
func (j *Job) unpackContent(ctx context.Context, out *Checkout) error {
	c, err := j.place.content(j.Content)
	if err != nil {
		return err
	}
	chain, err := j.chain(c, j.Content)
	if err != nil {
		return err
	}
	chain[len(chain)-1].Base = j.Base
	repo, err := worktrees.Unpack(ctx, filepath.Join(j.scratch.dir, "repository"), chain)
	if err != nil {
		return err
	}
	for _, m := range c.Modules {
		if err := j.unpackModule(ctx, repo, m); err != nil {
			return err
		}
	}
	if err := j.checkOutLane(ctx, repo, c); err != nil {
		return err
	}
	lane := j.scratch.lane
	out.Lane, out.Env, out.Root = lane.Lane, lane.Env, filepath.Join(lane.Root, j.Order.Dir)
	out.State = filepath.Join(repo.CommonDir, "gpuci")
	return j.prove(ctx)
}

// chain is a content behind what it builds on.
func (j *Job) chain(c Content, key string) (list []worktrees.Bundled, err error) {
	if c.OnKey != "" {
		on, err := j.place.content(c.OnKey)
		if err != nil {
			return nil, err
		}
		if on.OnKey != "" || on.Commit != c.On {
			return nil, fmt.Errorf("content %s does not build on %s any more", key, c.OnKey)
		}
		list = append(list, j.bundled(on, c.OnKey))
	}
	return append(list, j.bundled(c, key)), nil
}

func (j *Job) bundled(c Content, key string) worktrees.Bundled {
	return worktrees.Bundled{Packed: c.Packed, File: filepath.Join(j.place.dir, "contents", key, bundleName)}
}

func (j *Job) unpackModule(ctx context.Context, repo worktrees.Lane, m Module) error {
	c, err := j.place.content(m.Key)
	if err != nil {
		return err
	}
	return worktrees.UnpackModule(ctx, repo, worktrees.UnpackedModule{Names: m.Names, URL: m.URL, Chain: []worktrees.Bundled{j.bundled(c, m.Key)}})
}

// checkOutLane makes the scratch lane. Files that Git LFS keeps did not come along: what it
// would fetch for them is nowhere here.
func (j *Job) checkOutLane(ctx context.Context, repo worktrees.Lane, c Content) (err error) {
	const skip = "GIT_LFS_SKIP_SMUDGE"
	if was, set := os.LookupEnv(skip); set {
		defer os.Setenv(skip, was)
	} else {
		defer os.Unsetenv(skip)
	}
	os.Setenv(skip, "1")
	j.scratch.lane, err = worktrees.NewScratch(ctx, repo, worktrees.ScratchOptions{
		Dir: filepath.Join(j.scratch.dir, "lanes"), Commit: j.Commit, Fetch: fetchTime, For: "task " + j.Cookie, Note: j.note,
	})
	if err != nil {
		return err
	}
	for _, text := range j.scratch.lane.Notes {
		j.note(text)
	}
	if c.Draft != "" {
		err = j.scratch.lane.TakeDraft(ctx, c.Draft)
	}
	return err
}

// note says something to who follows the log, and to who takes the result.
func (j *Job) note(text string) {
	j.notes = append(j.notes, text)
	if j.log != nil {
		j.log.Note(text)
	}
}

// prove says whether what lies in the scratch lane is the content of the order.
func (j *Job) prove(ctx context.Context) error {
	lane := j.scratch.lane.Lane
	st, err := worktrees.ReadState(ctx, lane)
	if err != nil {
		return err
	}
	d, err := worktrees.ReadDraft(ctx, lane, st)
	if err != nil {
		return err
	}
	if st.Commit != j.Commit || d.Tree != j.Tree {
		text := fmt.Sprintf("what came is the content %.10s at commit %.10s, and not %.10s at %.10s", d.Tree, st.Commit, j.Tree, j.Commit)
		if len(st.Paths) > 0 {
			text += "; git finds changed: " + strings.Join(st.Paths[:min(3, len(st.Paths))], ", ")
		}
		return &Failure{Outcome: gates.Broken, Content: true, Text: text, Next: "do the git of the node and its configuration check files out as here does?"}
	}
	return nil
}

// Moved is the commit to which a gate has moved its checkout; "" where that is where it was.
func (j *Job) Moved(ctx context.Context) string {
	if j.scratch == nil || j.scratch.lane == nil {
		return ""
	}
	st, err := worktrees.ReadState(ctx, j.scratch.lane.Lane)
	if err != nil || st.Commit == j.Commit {
		return ""
	}
	return st.Commit
}
