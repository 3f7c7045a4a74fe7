package config

import "fmt"

func (p *printer) faults(at place, faults []Fault) {
	for _, f := range faults {
		p.table("[[gate.fault]]", at.named("fault", f.Name))
		p.optional("name", f.Name)
		p.optional("patch", f.Patch)
		if r := f.Replace; r != nil {
			p.line("replace", fmt.Sprintf("{ file = %s, from = %s, to = %s, count = %d }", tomlString(r.File), tomlString(r.From), tomlString(r.To), r.Count))
		}
		if len(f.Command) > 0 {
			p.line("command", tomlCommands(f.Command))
		}
		p.optional("must-move", f.MustMove)
		if f.MustMove != "" {
			p.line("margin", tomlFloat(f.Margin))
		}
		p.strings("must-not-move", f.MustNotMove)
		p.optional("must", f.Must)
	}
}
