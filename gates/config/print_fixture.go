package config

import (
	"fmt"
	"maps"
	"slices"
)

// fixtures writes them.
func (p *printer) fixtures(all []Fixture) {
	for _, x := range all {
		at := place{}.named("fixture", x.Name)
		p.table("[[fixture]]", at)
		p.optional("name", x.Name)
		p.strings("paths", x.Paths)
		if len(x.Generator) > 0 {
			p.line("generator", tomlCommands(x.Generator))
			p.line("dir", tomlString(x.Dir))
			p.optional("output", x.Output)
			p.line("timeout", tomlDuration(x.Timeout))
			p.line("repeat", fmt.Sprint(x.Repeat))
		}
		p.optional("by-hand", x.ByHand)
		p.line("compare", tomlString(x.Compare))
		p.optional("format", x.Format)
		p.optional("dtype", x.Type)
		p.optional("shape", x.Shape)
		if x.Rel > 0 || x.Abs > 0 {
			p.line("tolerance", fmt.Sprintf("{ rel = %s, abs = %s }", tomlFloat(x.Rel), tomlFloat(x.Abs)))
		}
		p.strings("values", x.Values)
		p.strings("used-by", x.UsedBy)
		if x.MayEqual {
			p.line("may-equal", "true")
		}
		p.indent = "  "
		if len(x.Env) > 0 {
			p.table("[fixture.env]", at.in("env"))
			for _, name := range slices.Sorted(maps.Keys(x.Env)) {
				p.line(name, tomlString(x.Env[name]))
			}
		}
		p.indent = ""
	}
}
