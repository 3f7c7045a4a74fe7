package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// noWords is what completes where nothing is known: no noise, and no files.
const noWords = cobra.ShellCompDirectiveNoFileComp

// gateWords are the gates that are not named yet, with what they are about.
// Behind -- come the arguments of one, which can be files.
func (a *app) gateWords(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if behindDash(os.Args) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []cobra.Completion
	for _, g := range a.gatesHere(cmd.Context()) {
		if !slices.Contains(args, g.Name) && strings.HasPrefix(g.Name, word) {
			out = append(out, cobra.CompletionWithDesc(printable(g.Name), printable(g.About)))
		}
	}
	return out, noWords | cobra.ShellCompDirectiveKeepOrder
}

// behindDash says whether the last of our words stands behind a --. What cobra
// tells of that it has spoilt: it parses the words with a -- of its own.
func behindDash(argv []string) bool { return slices.Contains(argv[:max(0, len(argv)-1)], "--") }

// gateWord is the same where one gate is named.
func (a *app) gateWord(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noWords
	}
	return a.gateWords(cmd, args, word)
}

// gateFlag is the same as the value of a flag.
func (a *app) gateFlag(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.gateWords(cmd, nil, word)
}

// metricWords are the numbers that the configuration names, of the gates that are
// named already or of all. Those that a gate prints without being asked for are in
// the history alone, which completing does not open.
func (a *app) metricWords(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	of := make(map[string][]string) // gates, by metric
	add := func(metric, gate string) {
		if strings.HasPrefix(metric, word) && !slices.Contains(of[metric], gate) {
			of[metric] = append(of[metric], gate)
		}
	}
	for _, g := range a.gatesHere(cmd.Context()) {
		if len(args) > 0 && !slices.Contains(args, g.Name) {
			continue
		}
		for _, b := range g.Bars {
			add(b.Metric, g.Name)
		}
		for _, m := range g.Metrics {
			add(m.Name, g.Name)
		}
	}
	var out []cobra.Completion
	for _, metric := range slices.Sorted(maps.Keys(of)) {
		out = append(out, cobra.CompletionWithDesc(printable(metric), printable("of "+strings.Join(of[metric], ", "))))
	}
	return out, noWords
}

// gatesHere are the gates of the workspace, none where there is none or where
// the configuration is wrong.
func (a *app) gatesHere(ctx context.Context) []config.Gate {
	dir, err := a.standing()
	if err != nil {
		return nil
	}
	lane, _ := findLane(contextOr(ctx), dir)
	path, err := config.Find(dir, lane.Root)
	if err != nil {
		return nil
	}
	cfg, err := config.Load(config.DefaultSources(path))
	if err != nil {
		return nil
	}
	return cfg.Gates
}

// laneTime is how long a person who has pressed Tab waits for git.
const laneTime = time.Second

// laneWords are the lanes of the repository that people work in, with their
// directories.
func (a *app) laneWords(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(contextOr(cmd.Context()), laneTime)
	defer cancel()
	dir, err := a.standing()
	if err != nil {
		return nil, noWords
	}
	lane, err := findLane(ctx, dir)
	if err != nil || lane.Root == "" {
		return nil, noWords
	}
	list, _ := gates.LanesHere(ctx, lane) // with an error it is what could be told
	var out []cobra.Completion
	for _, t := range list {
		if _, scratch := worktrees.ScratchID(t); !scratch && strings.HasPrefix(t.Name, word) {
			out = append(out, cobra.CompletionWithDesc(printable(t.Name), printable(t.Root)))
		}
	}
	return out, noWords
}

// branchWords are the branches of the repository.
func (a *app) branchWords(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(contextOr(cmd.Context()), laneTime)
	defer cancel()
	dir, err := a.standing()
	if err != nil {
		return nil, noWords
	}
	git := exec.CommandContext(ctx, "git", "-C", dir, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
	git.WaitDelay = laneTime // of what it may have left with our pipe
	list, _ := git.Output()  // with an error there are none
	var out []cobra.Completion
	for name := range strings.Lines(string(list)) {
		if name = strings.TrimSuffix(name, "\n"); strings.HasPrefix(name, word) {
			out = append(out, printable(name))
		}
	}
	return out, noWords
}

// contextOr is the context of a command, which cobra hands to a completion only
// where it has one.
func contextOr(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
