package config

import (
	"strconv"
	"time"
)

// notes writes the statements that expire.
func (p *printer) notes(all []Note) {
	for i, n := range all {
		p.table("[[note]]", place{}.named("note", strconv.Itoa(i+1)))
		p.optional("text", n.Text)
		p.optional("owner", n.Owner)
		p.optional("about", n.About)
		p.optional("while-red", n.WhileRed)
		p.strings("while-unchanged", n.WhileUnchanged)
		p.optional("since", n.Since)
		if !n.Until.IsZero() {
			p.line("until", tomlString(n.Until.Format(time.DateOnly)))
		}
		p.optional("expects", n.Expects)
	}
}
