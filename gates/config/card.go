package config

import "regexp"

// Card is one that a machine has.
type Card struct {
	Name       string // "H200"
	Capability string // "9.0"
}

// capability is how a card says what it can run.
var capability = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]$`)

// cards reads which cards a machine has.
func (l *layer) cards(f *fields) {
	if !f.only("card", l.role == machine, "the machine's own file, /etc/gpuci.toml: a workspace goes from machine to machine") {
		return
	}
	for _, table := range f.tables("card") {
		t := l.fields(place{}.in("card"), "[[card]]", table)
		var c Card
		t.need("capability", `"9.0"`)
		t.title("name", `"H200"`, &c.Name)
		if e := t.text("capability", `"9.0"`, &c.Capability); e != nil && !capability.MatchString(c.Capability) {
			t.bad(e, `write capability = "9.0": nvidia-smi --query-gpu=compute_cap --format=csv`, "is no compute capability: %s", quoted(c.Capability))
		}
		t.done()
		l.config.Cards = append(l.config.Cards, c)
	}
}
