package config

import "strconv"

// slurm writes what is said of a cluster, where anything is.
func (p *printer) slurm(s Slurm) {
	if !p.config.SaysSlurm() {
		return
	}
	p.table("[slurm]", place{}.in("slurm"))
	p.optional("shared", s.Shared)
	p.optional("scratch", s.Scratch)
	p.optional("partition", s.Partition)
	p.optional("account", s.Account)
	p.optional("qos", s.QOS)
	p.optional("constraint", s.Constraint)
	p.line("gres", tomlString(s.GRES))
	p.line("in-flight", strconv.Itoa(s.InFlight))
	p.line("wait", tomlDuration(s.Wait))
	p.line("margin", tomlDuration(s.Margin))
	p.line("attempts", strconv.Itoa(s.Attempts))
	p.strings("options", s.Options)
}

func (p *printer) gateSlurm(at place, s *GateSlurm) {
	if s == nil {
		return
	}
	p.table("[gate.slurm]", at)
	p.optional("partition", s.Partition)
	p.optional("constraint", s.Constraint)
	p.strings("options", s.Options)
	if s.Memory > 0 {
		p.line("memory", tomlSize(s.Memory))
	}
	if s.CPUs > 0 {
		p.line("cpus", strconv.Itoa(s.CPUs))
	}
	p.line("carry", tomlString(s.Carry))
}
