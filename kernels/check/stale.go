package check

import (
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Fresh is committed device code, and what its source makes today.
type Fresh struct {
	Committed, Built entry.Module
	Source           string
	Place            // where it was declared that the one is made from the other
}

// Stale holds committed device code against a fresh build. What was made by another
// toolkit and is the same for the rest is a note.
func Stale(list []Fresh) []Finding {
	var all []Finding
	for _, f := range list {
		found := f.kernels()
		all = append(all, found...)
		all = append(all, f.tools()...)
	}
	return sorted(all)
}

func (f Fresh) finding(rule string, k *entry.Kernel, expected, found, harm string) Finding {
	out := Finding{
		Rule: rule, Module: label(f.Committed), File: f.File, Line: f.Line, Expected: expected, Found: found, Harm: harm,
		Next: "build " + f.Committed.File + " anew and commit it",
	}
	if k != nil {
		out.Kernel = shown(k)
	}
	if f.Source != "" {
		out.Next = "build " + f.Committed.File + " anew from " + f.Source + " and commit it"
	}
	return out
}

func (f Fresh) kernels() []Finding {
	var all []Finding
	const absent = "the host finds no such entry, or one that the source no longer has"
	for i := range f.Built.Kernels {
		b := &f.Built.Kernels[i]
		c := named(f.Committed, b.Name)
		if c == nil {
			all = append(all, f.finding("stale-entries", b, "the entry, which the source has", "it is not in the committed file", absent))
			continue
		}
		all = append(all, f.kernel(c, b)...)
	}
	for i := range f.Committed.Kernels {
		if c := &f.Committed.Kernels[i]; named(f.Built, c.Name) == nil {
			all = append(all, f.finding("stale-entries", c, "no such entry: the source has none", "it is in the committed file", absent))
		}
	}
	return all
}

func (f Fresh) kernel(c, b *entry.Kernel) []Finding {
	var all []Finding
	if c.ParamsKnown && b.ParamsKnown && layout(c) != layout(b) {
		all = append(all, f.finding("stale-params", b, count(len(b.Params), "parameter")+" ("+paramList(b)+"), as in the source", count(len(c.Params), "parameter")+" ("+paramList(c)+")",
			"a host that is written for the source passes arguments that the committed kernel reads at other offsets"))
	}
	const old = "what runs is an older state of the source: fixes in it are not there"
	if c.Registers != nil && b.Registers != nil && *c.Registers != *b.Registers {
		all = append(all, f.finding("stale-registers", b, strconv.Itoa(*b.Registers)+" registers", strconv.Itoa(*c.Registers), old+f.perhapsToolkit()))
	}
	if c.Code != nil && b.Code != nil && *c.Code != *b.Code {
		all = append(all, f.finding("stale-code", b, strconv.Itoa(*b.Code)+" bytes of code", strconv.Itoa(*c.Code), old+f.perhapsToolkit()))
	}
	return all
}

// perhapsToolkit says that the difference may come from the compiler alone.
func (f Fresh) perhapsToolkit() string {
	if f.Committed.Toolkit != f.Built.Toolkit {
		return "; or it is the toolkit's doing, " + f.Committed.Toolkit + " against " + f.Built.Toolkit
	}
	return ""
}

// layout is the sizes and offsets of parameters.
func layout(k *entry.Kernel) string {
	text := ""
	for _, p := range k.Params {
		text += strconv.Itoa(p.Offset) + ":" + strconv.Itoa(p.Size) + " "
	}
	return text
}

func (f Fresh) tools() []Finding {
	var all []Finding
	c, b := f.Committed, f.Built
	if c.Toolkit != "" && b.Toolkit != "" && c.Toolkit != b.Toolkit {
		note := f.finding("stale-toolkit", nil, "CUDA "+b.Toolkit, "CUDA "+c.Toolkit, "none by itself: another compiler may round and schedule in another way")
		note.Note = true
		all = append(all, note)
	}
	if c.Flags != "" && b.Flags != "" && said(c.Flags) != said(b.Flags) && c.Toolkit == b.Toolkit {
		all = append(all, f.finding("stale-flags", nil, b.Flags, c.Flags, "it was made with other options than the set says: fast math, debug code or another architecture's tuning may be in it"))
	}
	if c.Arch != b.Arch {
		all = append(all, f.finding("stale-flags", nil, b.Arch, c.Arch, "it is for another architecture than the set says"))
	}
	return all
}

// said are options without those that only have the compiler talk, which gpuci asks
// it to and others do not.
func said(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(f string) bool { return f == "-v" || f == "--verbose" }), " ")
}

func named(m entry.Module, name string) *entry.Kernel {
	for i := range m.Kernels {
		if m.Kernels[i].Name == name {
			return &m.Kernels[i]
		}
	}
	return nil
}
