package config

import (
	"fmt"
	"strings"
)

// cards writes them as comments: no workspace may say which a machine has.
func (p *printer) cards(all []Card) {
	p.before = "# "
	defer func() { p.before = "" }()
	for _, c := range all {
		p.table("# [[card]]", place{}.in("card"))
		p.optional("name", c.Name)
		p.line("capability", tomlString(c.Capability))
	}
}

// kernelSets writes them.
func (p *printer) kernelSets(all []KernelSet) {
	for _, k := range all {
		at := place{}.named("kernels", k.Name)
		p.table("[[kernels]]", at)
		p.optional("name", k.Name)
		if len(k.Sources) > 0 {
			p.strings("sources", k.Sources)
			p.strings("arch", k.Arch)
			p.strings("kinds", k.Kinds)
			p.strings("flags", k.Flags)
			p.strings("include", k.Include)
			p.line("output", tomlString(k.Output))
			p.optional("output-name", k.Pattern)
			p.optional("compiler", k.Compiler)
			p.optional("nvcc", k.NVCCVersion)
		}
		p.strings("prebuilt", k.Prebuilt)
		p.strings("host", k.Host)
		p.strings("entries", k.Entries)
		p.strings("deterministic", k.Deterministic)
		p.kernelLimits(k.KernelLimits)
		p.indent = "  "
		for _, b := range k.Budgets {
			p.table("[[kernels.budget]]", at.in("budget"))
			p.line("kernel", tomlString(b.Kernel))
			p.kernelLimits(b.KernelLimits)
		}
		for _, n := range k.Launches {
			p.table("[[kernels.launch]]", at.in("launch"))
			p.line("kernel", tomlString(n.Kernel))
			p.optional("module", n.Module)
			p.line("args", tomlStrings(n.Args))
			if len(n.Block) > 0 {
				p.line("block", strings.ReplaceAll(fmt.Sprint(n.Block), " ", ", "))
			}
		}
		for _, g := range k.Graphs {
			p.table("[[kernels.graph]]", at.in("graph"))
			p.line("name", tomlString(g.Name))
			p.line("entries", tomlStrings(g.Entries))
			p.strings("outside", g.Outside)
		}
		for _, a := range k.Accepts {
			p.table("[[kernels.accept]]", at.in("accept"))
			p.line("kind", tomlString(a.Kind))
			p.optional("kernel", a.Kernel)
			p.optional("in", a.In)
			p.strings("of", a.Of)
			p.line("why", tomlString(a.Why))
		}
		p.indent = ""
	}
}

func (p *printer) kernelLimits(k KernelLimits) {
	number := func(key string, n *int, form string) {
		if n != nil {
			p.line(key, fmt.Sprintf(form, *n))
		}
	}
	number("max-registers", k.Registers, "%d")
	number("max-spill-bytes", k.Spill, "%d")
	number("max-shared", k.Shared, `"%dB"`)
	number("max-stack", k.Stack, `"%dB"`)
}
