package ab

import (
	"maps"
	"slices"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
)

// What is no part of what two arms ran as, and what only makes the arm the default, leaves
// a comparison one of the gate; what makes either arm another thing does not.
func TestSettings(t *testing.T) {
	limit := 1.0
	gate := config.Gate{
		Name: "speed", Profile: "release", Timeout: time.Minute,
		Run:  []config.Command{{Argv: []string{"bench", "--n", "100"}}},
		Env:  map[string]string{"FAST": "0", "OTHER": "x"},
		Bars: []config.Bar{{Metric: "loss", Max: &limit}, {Metric: "step-ms", Pattern: "(?P<value>.*) ms", Max: &limit}},
	}
	env := func(name, value string) func(*config.Gate) {
		return func(g *config.Gate) { g.Env[name] = value }
	}
	lone := []Arm{{Name: "a"}, {Name: "b", Env: []string{"FAST=1"}, Args: []string{"--fused"}}}
	both := []Arm{{Name: "a", Env: []string{"FAST=0"}}, {Name: "b", Env: []string{"FAST=1"}}}
	for name, c := range map[string]struct {
		arms []Arm
		edit func(*config.Gate)
		want bool
	}{
		"nothing":             {lone, func(*config.Gate) {}, true},
		"about and scope":     {lone, func(g *config.Gate) { g.About, g.Scope = "x", map[string]config.Axis{"chunks": {}} }, true},
		"a bar on a base":     {lone, func(g *config.Gate) { g.Bars = append(g.Bars, config.Bar{Metric: "base", AB: &config.Compared{}}) }, true},
		"a bar on a time":     {lone, func(g *config.Gate) { g.Bars[1].Max = nil }, true},
		"how a time is read":  {lone, func(g *config.Gate) { g.Bars[1].Pattern = "(?P<value>.*) s" }, false},
		"a bar on a quality":  {lone, func(g *config.Gate) { g.Bars = g.Bars[1:] }, false},
		"a limit of time":     {lone, func(g *config.Gate) { g.Timeout *= 2 }, false},
		"adopted":             {lone, func(g *config.Gate) { g.Env["FAST"] = "1"; g.Run[0].Argv = append(g.Run[0].Argv, "--fused") }, true},
		"half adopted":        {lone, env("FAST", "1"), false},
		"adopted, and more":   {lone, func(g *config.Gate) { g.Env["FAST"] = "1"; g.Run[0].Argv = []string{"bench", "--fused"} }, false},
		"the base is another": {lone, env("FAST", "2"), false},
		"another variable":    {lone, env("OTHER", "y"), false},
		"both set it":         {both, env("FAST", "2"), true},
		"both, and another":   {both, env("OTHER", "y"), false},
	} {
		now := gate
		now.Env, now.Bars, now.Run = maps.Clone(gate.Env), slices.Clone(gate.Bars), []config.Command{{Argv: slices.Clone(gate.Run[0].Argv)}}
		l := Log{Session: Session{Settings: gates.SettingsID(gate), Arms: c.arms, Compared: comparedBy(gate, c.arms)}}
		if c.edit(&now); sameSettings(l.settings(), now, l.Arms) != c.want {
			t.Errorf("%s: %v is wanted", name, c.want)
		}
	}
	old := Log{Session: Session{Settings: gates.SettingsID(gate), Arms: lone}}
	if !sameSettings(old.settings(), gate, lone) || sameSettings(old.settings(), config.Gate{Name: "speed", Run: gate.Run}, lone) {
		t.Error("a journal that has the hash of all settings is read otherwise")
	}
}
