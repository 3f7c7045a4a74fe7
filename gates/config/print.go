package config

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Print writes the merged result as TOML. After each value a comment says
// which line gave it, or that it is a default, and whether anything acts on it.
//
// The text is a file for Root that means the same on this machine. Because no
// workspace may say where the locks are, lock-dir stands in it as a comment.
func (c *Config) Print(w io.Writer) error {
	p := &printer{config: c}
	p.line("links", strconv.Itoa(c.Links))
	if c.LockDir != "" {
		p.before = "# "
		p.line("lock-dir", tomlString(c.LockDir))
		p.before = ""
	}
	p.table("[workspace]", place{}.in("workspace"))
	p.line("name", tomlString(c.Workspace.Name))
	p.optional("base", c.Workspace.Base)
	p.strings("fixtures", c.Workspace.Fixtures)
	p.table("[build]", place{}.in("build"))
	p.line("wait", tomlDuration(c.Build.Wait))
	p.line("timeout", tomlDuration(c.Build.Timeout))
	p.line("serialize", tomlString(c.Build.Serialize))
	p.pressure(c.Pressure)
	if len(c.Tools) > 0 {
		p.table("[reaper]", place{}.in("reaper"))
		p.strings("tools", c.Tools)
	}
	p.table("[history]", place{}.in("history"))
	p.optional("tsv", c.History.TSV)
	p.line("keep-runs", strconv.Itoa(c.History.Runs))
	p.bank(c.Bank)
	p.ci(c.CI)
	p.slurm(c.Slurm)
	p.cards(c.Cards)
	p.gpu(c.GPU)
	p.protected(c.Protected)
	p.kernelSets(c.Kernels)
	for i := range c.Gates {
		p.gate(&c.Gates[i])
	}
	p.notes(c.Notes)
	p.fixtures(c.Fixtures)
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	return nil
}

// printer writes TOML, one value a line.
type printer struct {
	config *Config
	out    bytes.Buffer
	place  place  // of the table
	indent string // of the table
	before string // of the line
}

// table begins a table.
func (p *printer) table(header string, at place) {
	p.place = at
	fmt.Fprintf(&p.out, "\n%s%s\n", p.indent, header)
}

// line writes one value and where it came from.
func (p *printer) line(key, value string) {
	at := p.place.in(key)
	fmt.Fprintf(&p.out, "%s%s%s = %s  # %s\n", p.indent, p.before, tomlKey(key), value, p.config.provenance(at))
}

// optional writes a string that was given.
func (p *printer) optional(key, value string) {
	if value != "" {
		p.line(key, tomlString(value))
	}
}

func (c *Config) provenance(at place) string {
	where := "default"
	if o, ok := c.Origin(at.key); ok {
		where = fmt.Sprintf("%s:%d", plain(o.File), o.Line)
	}
	if isLater(at.word) {
		where += "; read, not acted on by this version"
	}
	return where
}

func (p *printer) pressure(v Pressure) {
	at := place{}.in("pressure")
	p.table("[pressure]", at)
	p.line("budget", tomlDuration(v.Budget))
	p.line("min-free", tomlSize(v.MinFree))
	p.line("unknown", tomlString(v.Unknown))
	p.table("[pressure.io-full]", at.in("io-full"))
	p.line("long", strconv.Itoa(v.IOFull.Long))
	p.line("short", strconv.Itoa(v.IOFull.Short))
	p.line("resume", strconv.Itoa(v.IOFull.Resume))
}
