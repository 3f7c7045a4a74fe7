package check

import (
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Fresh is committed device code, and what its source makes today.
type Fresh struct {
	Committed, Built entry.Module
	Source           string
	Toolkit          string // of the set's compiler, where Built does not say it: it is for another architecture
	Place                   // where it was declared that the one is made from the other
}

// Stale holds committed device code against a fresh build: its entries and parameters,
// and where the same compiler made both with the same options, all that they run. Where
// another did, that their code cannot be compared is a note.
func Stale(list []Fresh) []Finding { return Together(stale(list)) }

func stale(list []Fresh) []Finding {
	var all []Finding
	for _, f := range list {
		all = append(all, f.tools()...)
		all = append(all, f.kernels()...)
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

// What happens when committed code is not that of its source.
const (
	absent = "the host finds no such entry, or one that the source no longer has"
	old    = "what runs is an older state of the source, or was made with other options: fixes in it are not there"
)

func (f Fresh) kernels() []Finding {
	var all []Finding
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
	if c, b := f.Committed.DataHash, f.Built.DataHash; all == nil && c != "" && b != "" && c != b && f.alike() {
		all = append(all, f.finding("stale-data", nil, "the variables, constants and functions of the source", "others, or other values", old))
	}
	return all
}

// kernel gives one finding, of what does the most harm: other parameters come with
// other code.
func (f Fresh) kernel(c, b *entry.Kernel) []Finding {
	if c.ParamsKnown && b.ParamsKnown && layout(c) != layout(b) {
		return []Finding{f.finding("stale-params", b, count(len(b.Params), "parameter")+" ("+paramList(b)+"), as in the source", count(len(c.Params), "parameter")+" ("+paramList(c)+")",
			"a host that is written for the source passes arguments that the committed kernel reads at other offsets")}
	}
	expected, found := f.differences(c, b)
	if expected == nil {
		return nil
	}
	return []Finding{f.finding("stale-code", b, strings.Join(expected, ", ")+", as in the source", strings.Join(found, ", "), old)}
}

// differences are what of two kernels is not the same: what the source says, and where
// one compiler made both what that makes of it.
func (f Fresh) differences(c, b *entry.Kernel) (expected, found []string) {
	alike := f.alike()
	for _, p := range properties {
		if p.compiled && !alike {
			continue
		}
		x, y := p.of(c), p.of(b)
		if x != y && x != "" && y != "" {
			expected, found = append(expected, p.words(y)), append(found, p.words(x))
		}
	}
	if alike && expected == nil && c.CodeHash != "" && b.CodeHash != "" && c.CodeHash != b.CodeHash {
		expected, found = append(expected, "the instructions and constants"), append(found, "others, in as many bytes")
	}
	return expected, found
}

// property is something of a kernel that is compared.
type property struct {
	what     string                     // "shared", "launch-bounds"
	unit     string                     // of a number: "registers"; "" of what speaks for itself
	compiled bool                       // by the compiler's choice, not the source's
	of       func(*entry.Kernel) string // "": not known
}

func (p property) words(value string) string {
	if p.unit == "" {
		return p.what + " " + value
	}
	return value + " " + p.unit
}

// properties are what of two kernels is compared, beside parameters and code.
var properties = []property{
	{"launch bounds", "", false, bounds},
	{"shared memory", "bytes of shared memory", false, func(k *entry.Kernel) string { return text(k.Shared) }},
	{"registers", "registers", true, func(k *entry.Kernel) string { return text(k.Registers) }},
	{"stack", "bytes of stack", true, func(k *entry.Kernel) string { return text(k.Stack) }},
	{"barriers", "barriers", true, func(k *entry.Kernel) string { return text(k.Barriers) }},
	{"code", "bytes of code", true, func(k *entry.Kernel) string { return text(k.Code) }},
}

// bounds says what blocks and clusters a kernel may be launched in.
func bounds(k *entry.Kernel) string {
	var parts []string
	if len(k.ReqThreads) > 0 {
		parts = append(parts, "exactly "+dims(k.ReqThreads))
	}
	if len(k.MaxThreads) > 0 {
		parts = append(parts, "up to "+dims(k.MaxThreads))
	}
	if k.MinBlocks > 0 {
		parts = append(parts, strconv.Itoa(k.MinBlocks)+" blocks at least")
	}
	if k.InClusters {
		parts = append(parts, strings.TrimSpace("in clusters "+dims(k.Cluster)))
	}
	if k.MaxCluster > 0 {
		parts = append(parts, "clusters of "+strconv.Itoa(k.MaxCluster)+" at most")
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// layout is the sizes and offsets of parameters.
func layout(k *entry.Kernel) string {
	text := ""
	for _, p := range k.Params {
		text += strconv.Itoa(p.Offset) + ":" + strconv.Itoa(p.Size) + " "
	}
	return text
}

// named is the kernel of a name, wherever its file lies.
func named(m entry.Module, name string) *entry.Kernel {
	for i := range m.Kernels {
		if m.Kernels[i].Name == name {
			return &m.Kernels[i]
		}
	}
	for i := range m.Kernels {
		if c := entry.Canonical(name); entry.Canonical(m.Kernels[i].Name) == c {
			return &m.Kernels[i]
		}
	}
	return nil
}
