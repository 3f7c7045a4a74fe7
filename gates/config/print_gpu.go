package config

import "strings"

// gpu writes what is said of the cards, where anything is. As no workspace may say
// which there are, who may be on them and what runs there, that stands in comments.
func (p *printer) gpu(v GPU) {
	said := false
	for key := range p.config.origins {
		said = said || strings.HasPrefix(key, "gpu.")
	}
	if !said {
		return
	}
	p.table("[gpu]", place{}.in("gpu"))
	p.line("wait", tomlDuration(v.Wait))
	p.line("headroom", tomlSize(v.Headroom))
	p.before = "# "
	p.strings("cards", v.Cards)
	p.strings("harmless", v.Harmless)
	p.before = ""
}

func (p *printer) protected(all []Protect) {
	p.before = "# "
	defer func() { p.before = "" }()
	for _, v := range all {
		p.table("# [[protect]]", place{}.named("protect", v.Name))
		p.optional("name", v.Name)
		p.optional("command", v.Command)
		p.optional("cwd", v.CWD)
		p.optional("user", v.User)
		p.optional("pidfile", v.PIDFile)
		p.optional("unit", v.Unit)
		p.strings("cards", v.Cards)
		p.optional("log", v.Log)
		p.optional("progress", v.Progress)
		if v.Share {
			p.line("share", "true")
		}
	}
}

func (p *printer) onCard(g *Gate) {
	if g.ShareGPU {
		p.line("share-gpu", "true")
	}
	if g.VRAM > 0 {
		p.line("vram", tomlSize(g.VRAM))
	}
	p.optional("measures", g.Measures)
	p.strings("bundle", g.Bundle)
}
