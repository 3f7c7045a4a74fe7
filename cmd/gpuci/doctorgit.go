package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gpuci/gates"
)

// gitTime bounds one question to git.
const gitTime = 5 * time.Second

func (d *doctor) checkGit(ctx context.Context) []check {
	out := []check{d.checkGitVersion()}
	if d.answers["git"].path == "" || d.place.lane.Root == "" {
		return out
	}
	out = append(out, d.checkLanes(ctx))
	if d.asksGit(ctx) {
		out = append(out, fine("worktreeConfig", "extensions.worktreeConfig is on: HEAD is read by a git process, some milliseconds each"))
	}
	return out
}

func (d *doctor) checkGitVersion() check {
	git := d.answers["git"]
	inLane := d.place.lane.Root != ""
	switch {
	case git.path == "" && inLane:
		return broken("git", "not here, and this is a worktree of git's", "a lane with uncommitted changes cannot be read, and its lanes cannot be listed", git.get).stops(exitUnfit)
	case git.path == "":
		return lost("git", "not here", "there are no lanes", git.get)
	case git.failed != "" && inLane:
		return git.check().stops(exitUnfit)
	case git.failed != "":
		return git.check()
	}
	c := git.check()
	c.brief = false
	if c.Version != "" && !atLeast(c.Version, 2, 36) { // for `worktree list -z`
		c.State, c.Value = stateLost, "2.36 is needed"
		c.Lost, c.Get = "lanes cannot be listed: nothing is swept, and whose a process is cannot be told", git.get+" of a newer release, or https://git-scm.com"
	}
	return c
}

// checkLanes lists the lanes as every command does.
func (d *doctor) checkLanes(ctx context.Context) check {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	list, err := gates.LanesHere(ctx, d.place.lane)
	switch {
	case err == nil:
		return fine("lanes", count(len(list), "lane", "lanes"))
	case ctx.Err() != nil:
		return broken("lanes", fmt.Sprintf("git does not list them within %v", gitTime), "each gate waits for git", "git worktree list, by hand, in "+d.place.lane.Root)
	case strings.Contains(err.Error(), "dubious ownership"):
		return lost("lanes", "git works on no repository of another user's", "outcomes are bound to no commit, and nothing is swept", "git config --global --add safe.directory "+bourneQuote(d.place.lane.Root)+", or run it as the owner")
	}
	return lost("lanes", err.Error(), "nothing is swept while one of them cannot be told", "git worktree repair, or git worktree prune")
}

// asksGit says whether the repository has what only git itself can read.
func (d *doctor) asksGit(ctx context.Context) bool {
	a, err := gates.Ask(ctx, gitTime, []string{"git", "config", "--get", "extensions.worktreeConfig"}, d.place.lane.Root, askEnv(d.env))
	return err == nil && strings.TrimSpace(a.Text) == "true"
}
