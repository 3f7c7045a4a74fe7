package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// gate writes one gate: its own values first, because in TOML they cannot
// follow the tables below it.
func (p *printer) gate(g *Gate) {
	at := place{}.named("gate", g.Name)
	p.table("[[gate]]", at)
	p.optional("name", g.Name)
	p.optional("about", g.About)
	if len(g.Build) > 0 {
		p.line("build", tomlCommands(g.Build))
	}
	p.line("run", tomlCommands(g.Run))
	p.line("dir", tomlString(g.Dir))
	p.strings("products", g.Products)
	p.strings("kernels", g.Kernels)
	p.strings("leave", g.Leave)
	p.optional("profile", g.Profile)
	p.optional("backend", g.Backend)
	p.optional("subject", g.Subject)
	p.strings("needs", g.Needs)
	p.onCard(g)
	p.optional("quiet-box", g.QuietBox)
	p.line("build-timeout", tomlDuration(g.BuildTimeout))
	p.line("timeout", tomlDuration(g.Timeout))
	p.line("no-progress", tomlDuration(g.NoProgress))
	p.line("grace", tomlDuration(g.Grace))
	p.repeat(g.Repeat)
	p.optional("reader", g.Reader)
	p.line("min-tests", strconv.Itoa(g.MinTests))
	p.optional("expect", g.Expect)
	p.optional("owner", g.Owner)
	if g.Expect != "" {
		p.line("until", tomlString(g.Until.Format(time.DateOnly)))
	}
	p.strings(afterKey, g.After)
	if g.DayOnly {
		p.line("nightly", "false")
	}
	p.indent = "  "
	p.env(at.in("env"), g.Env)
	p.trace(at.in("trace"), g.Trace)
	p.gateSlurm(at.in("slurm"), g.Slurm)
	p.numbers(at, g)
	for i, w := range g.Witnesses {
		p.table("[[gate.witness]]", at.named("witness", strconv.Itoa(i+1)))
		p.optional("name", w.Name)
		p.optional("pattern", w.Pattern)
		p.optional("source", w.Source)
		p.optional("stage", w.Stage)
		p.optional("holds", w.Holds)
	}
	p.scope(at.in("scope"), g.Scope)
	p.faults(at, g.Faults)
	p.indent = ""
}

func (p *printer) strings(key string, all []string) {
	if len(all) > 0 {
		p.line(key, tomlStrings(all))
	}
}

func (p *printer) env(at place, env map[string]string) {
	if len(env) == 0 {
		return
	}
	p.table("[gate.env]", at)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.line(name, tomlString(env[name]))
	}
}

func (p *printer) numbers(at place, g *Gate) {
	for _, b := range g.Bars {
		p.table("[[gate.bar]]", at.named("bar", b.Metric))
		p.optional("metric", b.Metric)
		if b.AB != nil {
			p.compared(b)
			continue
		}
		p.optional("pattern", b.Pattern)
		p.atlas(b.Atlas)
		p.bound("min", b.Min)
		p.bound("max", b.Max)
		if b.Within > 0 {
			p.line("within", tomlPercent(b.Within))
			p.optional("better", b.Better)
			if !b.Since.IsZero() {
				p.line("since", tomlString(b.Since.Format(time.RFC3339)))
			}
		}
		p.bound("floor", b.Floor)
		if b.Atlas == nil {
			p.optional("unit", b.Unit)
		}
		if len(b.Parts) > 0 {
			p.strings("parts", b.Parts)
			p.line("tolerance", tomlFloat(b.Tolerance))
		}
		p.line("min-matches", strconv.Itoa(b.MinMatches))
	}
	for _, m := range g.Metrics {
		p.table("[[gate.metric]]", at.named("metric", m.Name))
		p.optional("metric", m.Name)
		p.optional("pattern", m.Pattern)
		if p.atlas(m.Atlas); m.Atlas == nil {
			p.optional("unit", m.Unit)
		}
	}
}

func (p *printer) bound(key string, limit *float64) {
	if limit != nil {
		p.line(key, tomlFloat(*limit))
	}
}

func (p *printer) scope(at place, scope map[string]Axis) {
	if len(scope) == 0 {
		return
	}
	p.table("[gate.scope]", at)
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		axis := scope[name]
		covered := tomlArray(axis.Covered, tomlPoint)
		if axis.Shown {
			covered = tomlString(ShownWord)
		}
		p.line(name, fmt.Sprintf("{ covered = %s, production = %s }", covered, tomlArray(axis.Production, tomlPoint)))
	}
}
