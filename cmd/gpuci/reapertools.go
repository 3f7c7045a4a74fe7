package main

import (
	"errors"
	"fmt"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// toolsOf says what the lanes that are meant count as compilers and linkers
// beside the usual ones, each by its own gpuci.toml. One that cannot be read
// adds nothing: then less is leaked, not more.
func (a *app) toolsOf(g ground, here *config.Config) func(lane string) []string {
	tools, wrong := laneTools(g, here)
	for _, err := range wrong {
		a.console.note(err.Error())
	}
	return func(lane string) []string { return tools[lane] }
}

// laneTools are those tools by lane, and the lanes whose file cannot be read.
func laneTools(g ground, here *config.Config) (tools map[string][]string, wrong []error) {
	tools = map[string][]string{g.lane.Name: here.Tools}
	for _, t := range g.lanes {
		if !g.meant[t.Name] || g.here(t) || t.Removed {
			continue
		}
		own, err := laneConfig(t)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("lane %s: only the usual compilers and linkers count: %w", t.Name, err))
			continue
		}
		tools[t.Name] = own.Tools
	}
	return tools, wrong
}

// laneConfig is what the files say that hold in a lane's root. A lane without a
// gpuci.toml has no settings of its own.
func laneConfig(t worktrees.Tree) (*config.Config, error) {
	file, err := config.Find(t.Root, t.Root)
	switch {
	case errors.Is(err, config.ErrNotFound):
		return &config.Config{}, nil
	case err != nil:
		return nil, err
	}
	return config.Load(config.DefaultSources(file))
}
