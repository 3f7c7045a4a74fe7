package config

// ci writes what is said of nights and landings, where anything is. As no
// workspace may say where scratch lanes are, that stands there as a comment.
func (p *printer) ci(v CI) {
	at := place{}.in("ci")
	_, lanes := p.config.Origin("ci.lanes")
	if !lanes && v.Until == "" && v.Scratch == "" && v.Required == nil {
		return
	}
	p.table("[ci]", at)
	p.optional("until", v.Until)
	p.strings("lanes", v.Lanes)
	p.strings("required", v.Required)
	p.before = "# "
	p.optional("scratch", v.Scratch)
	p.before = ""
}
