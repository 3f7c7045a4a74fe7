package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/ci"
	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/bundle"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// archiver makes archives for nodes without a toolchain.
type archiver struct {
	*app
	cfg        *config.Config // of here
	here       worktrees.Lane
	noPressure bool
	program    string // gpuci; "" is this one

	of   string             // the content that lane has
	lane *worktrees.Scratch // where gates of one content are built, one after the other; nil before the first
}

// archiveFetch is how long a submodule of an archive's sources may be fetched.
const archiveFetch = 10 * time.Minute

// make builds a gate in a scratch lane of its content, and packs it as `gpuci kernels
// bundle` does. The lane serves for the next gate of the same content, unless a build has
// changed what git tracks there.
func (a *archiver) make(ctx context.Context, t executor.Task, file string) error {
	used := a.lane != nil && a.of == t.Head.Commit+t.Head.Tree
	if !used {
		if err := a.checkOut(ctx, t); err != nil {
			return err
		}
	}
	err := a.packFrom(ctx, a.lane, t, file)
	if used && errors.Is(err, worktrees.ErrAltered) {
		if err = a.checkOut(ctx, t); err == nil {
			err = a.packFrom(ctx, a.lane, t, file)
		}
	}
	return err
}

// checkOut makes the scratch lane anew, of a task's content.
func (a *archiver) checkOut(ctx context.Context, t executor.Task) error {
	if err := a.close(); err != nil {
		a.console.note(err.Error())
	}
	from, o := a.here, worktrees.ScratchOptions{Commit: t.Head.Commit, Fetch: archiveFetch, For: "archives for nodes", Note: a.console.note}
	if lane, err := worktrees.Find(ctx, t.Head.Root); err == nil && lane.CommonDir == a.here.CommonDir {
		from = lane
	}
	if t.Head.Dirty {
		o.Commit = "" // the lane as it is
	}
	var err error
	if o.Dir, err = ci.ScratchDir(a.cfg, a.here); err != nil {
		return err
	}
	a.lane, err = worktrees.NewScratch(ctx, from, o)
	a.of = t.Head.Commit + t.Head.Tree
	return err
}

// close removes the scratch lane.
func (a *archiver) close() error {
	if a.lane == nil {
		return nil
	}
	err := a.lane.Remove(context.Background())
	a.lane = nil
	return err
}

// packFrom builds and packs in a scratch lane.
func (a *archiver) packFrom(ctx context.Context, s *worktrees.Scratch, t executor.Task, file string) error {
	cfg, err := config.Load(config.DefaultSources(filepath.Join(s.Root, t.Dir, config.FileName)))
	if err != nil {
		return err
	}
	list, err := pick(cfg, gateOptions{}, []string{t.Gate.Name})
	if err != nil {
		return err
	}
	if err := soonUnbundled(cfg, list[0]); err != nil {
		return err
	}
	self := a.program
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return err
		}
	}
	built, err := a.buildArchived(ctx, cfg, s, t, list[0])
	if err != nil {
		return err
	}
	library, err := bundledTrace(ctx, list)
	if err != nil {
		return err
	}
	pack, err := bundle.Plan(bundle.Making{Config: cfg, Gates: []bundle.Built{built}, Version: versionText(), Program: self, Out: file, TraceLibrary: library})
	if err != nil {
		return err
	}
	defer pack.Close()
	if pack.Manifest.Tree != t.Head.Tree {
		return fmt.Errorf("%w: its content was %.10s and is %.10s", worktrees.ErrAltered, t.Head.Tree, pack.Manifest.Tree)
	}
	_, err = writeBundle(ctx, pack, file, "bundle")
	return err
}

// buildArchived builds one gate in the scratch lane. What keeps it from being built is said
// in words; the logs are in the run's directory.
func (a *archiver) buildArchived(ctx context.Context, cfg *config.Config, s *worktrees.Scratch, t executor.Task, g config.Gate) (bundle.Built, error) {
	a.console.note("building gate " + g.Name + " for its archive")
	state, _ := gates.StateDir(s.Lane, cfg.Root)
	rule, err := place{config: cfg}.rule(ownEnv(), a.noPressure)
	if err != nil {
		return bundle.Built{}, err
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, s.Lane))
	defer past.Close()
	opt := a.options(cfg, s.Lane, gateOptions{}, g, state, a.gateQueue(cfg, s.Lane), rule, past)
	opt.As = gates.As{Lane: t.Head.Lane, Branch: t.Head.Branch}
	opt.Env = append(opt.Env, s.Env...)
	v, carried := gates.BuildOnly(ctx, opt)
	_ = a.console.settle()
	if v.Outcome != gates.Green && v.Outcome != gates.Attention {
		return bundle.Built{}, fmt.Errorf("it is not built (%s); read %s", v.Outcome, v.Log)
	}
	return bundle.Built{Gate: g, Verdict: v, Carried: carried}, ctx.Err()
}
