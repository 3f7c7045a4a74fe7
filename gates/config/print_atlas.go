package config

import "strconv"

// trace writes how the run is counted.
func (p *printer) trace(at place, t *Trace) {
	if t == nil {
		return
	}
	p.table("[gate.trace]", at)
	p.optional("step", t.Step)
	p.optional("range", t.Range)
	if t.Warm != 0 {
		p.line("warm", strconv.Itoa(max(0, t.Warm)))
	}
	if t.Timeline {
		p.line("timeline", "true")
	}
}

// atlas writes what a number of the atlas is of.
func (p *printer) atlas(a *Atlas) {
	if a == nil {
		return
	}
	p.line("source", tomlString(SourceTrace))
	p.line("measure", tomlString(a.Measure))
	p.line("stage", tomlString(a.Stage))
	p.optional("kernel", a.Kernel)
}
