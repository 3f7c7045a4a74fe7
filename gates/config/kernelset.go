package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// KernelSet is CUDA sources that are compiled alike, and what must be true of the
// device code.
type KernelSet struct {
	Name    string
	Sources []string // patterns from the directory of gpuci.toml; empty where all of it is prebuilt
	Arch    []string // "sm_90", "sm_90a"; "compute_90" is PTX
	Kinds   []string // of KernelKinds; empty is cubins, and PTX for compute_ architectures
	Flags   []string // of the compiler
	Include []string // directories, in order, relative to Root
	Output  string   // directory of what is made, relative to Root
	Pattern string   // of the names in it, {dir}/{stem}.{arch}.{ext}

	Compiler    string // nvcc itself, or the environment that has it; "" looks for one
	NVCCVersion string // "13", "13.0": what is wanted; "" is any

	Prebuilt []string // patterns of device code that is committed
	Host     []string // patterns of sources that load, look up and launch

	Entries       []string // that must be there; empty asks for none
	Deterministic []string // patterns of kernels that must not add floats in no order
	KernelLimits           // of every kernel
	Budgets       []KernelBudget
	Launches      []KernelLaunch
	Graphs        []KernelGraph
	Accepts       []KernelAccept
}

// KernelSet returns the set with that name.
func (c *Config) KernelSet(name string) (KernelSet, bool) {
	for _, k := range c.Kernels {
		if k.Name == name {
			return k, true
		}
	}
	return KernelSet{}, false
}

// KernelKinds are what can be made of a source.
func KernelKinds() []string { return []string{"cubin", "ptx", "fatbin", "object"} }

// Card is one that a machine has.
type Card struct {
	Name       string // "H200"
	Capability string // "9.0"
}

// kernelSets reads every [[kernels]]. It comes before the gates, which name them.
func (l *layer) kernelSets(f *fields) {
	if !f.only("kernels", l.role == workspace, "the workspace's "+FileName) {
		return
	}
	seen := make(map[string]int)
	for _, table := range f.tables("kernels") {
		at, label := place{}.in("kernels"), "[[kernels]]"
		if e := table.get("name"); e != nil && e.value.kind == isString {
			at, label = place{}.named("kernels", e.value.text), "[[kernels]] "+quoted(e.value.text)
		}
		l.config.Kernels = append(l.config.Kernels, l.fields(at, label, table).kernelSet(seen))
	}
}

func (f *fields) kernelSet(seen map[string]int) KernelSet {
	var k KernelSet
	f.need("name", `"scan"`)
	if e := f.word("name", `"scan"`, &k.Name); e != nil {
		f.once(e, seen, "a second set of kernels %s, the first is on line %d")
	}
	k.Sources = f.patterns("sources", `["cuda/*.cu"]`)
	k.Prebuilt = f.patterns("prebuilt", `["kernels/*.cubin"]`)
	k.Host = f.patterns("host", `["src/**/*.rs"]`)
	if f.table.get("sources") == nil && f.table.get("prebuilt") == nil {
		f.needOr("sources", `["cuda/*.cu"]`, `, or prebuilt = ["kernels/*.cubin"]`)
	}
	f.compilation(&k)
	k.Entries = f.names("entries", `["scan_fwd"]`)
	f.deterministic(&k)
	f.kernelLimits(&k.KernelLimits)
	f.budgets(&k)
	f.launches(&k)
	f.graphs(&k)
	f.accepts(&k)
	f.done()
	return k
}

// gateKernels reads which sets a gate builds and checks before anything else.
func (f *fields) gateKernels(g *Gate) {
	e, items := f.texts("kernels", `["scan"]`)
	for _, item := range items {
		var names []string
		for _, k := range f.config.Kernels {
			names = append(names, k.Name)
		}
		if !slices.Contains(names, item.text) {
			f.add(item.span, meant(item.text, names, "add [[kernels]] with that name"), "%q in %s names no [[kernels]]: %s", e.key, f.label, quoted(item.text))
			continue
		}
		if !slices.Contains(g.Kernels, item.text) {
			g.Kernels = append(g.Kernels, item.text)
		}
	}
	g.KernelsID = kernelsID(f.config.Kernels, g.Kernels)
	if len(g.Kernels) > 0 {
		f.kernelBars()
	}
}

// KernelMetrics are the numbers that the kernels of a gate have.
func KernelMetrics() []string {
	return []string{"kernel-registers", "kernel-spill-bytes", "kernel-shared-bytes", "kernel-stack-bytes", "kernel-code-bytes"}
}

// kernelBars looks for bars on a misspelt number of the kernels, which no run would
// ever give.
func (f *fields) kernelBars() {
	bars := f.table.get("bar")
	if bars == nil || bars.value.kind != isArray {
		return
	}
	for _, t := range bars.value.items {
		e := t.get("metric")
		if e == nil || t.get("pattern") != nil || !strings.HasPrefix(e.value.text, "kernel") || slices.Contains(KernelMetrics(), e.value.text) {
			continue
		}
		if n := near(e.value.text, KernelMetrics(), 1); n != nil {
			f.add(e.value.span, fmt.Sprintf("did you mean %q? There are %s", n[0], list(KernelMetrics())), "%q in %s is no number of kernels: %s", e.key, "[[gate.bar]]", quoted(e.value.text))
		}
	}
}

// kernelsID identifies what some sets say, wherever it stands in the file; "" for none.
func kernelsID(all []KernelSet, names []string) string {
	var said []KernelSet
	for _, k := range all {
		if !slices.Contains(names, k.Name) {
			continue
		}
		k.Budgets, k.Launches, k.Graphs, k.Accepts = slices.Clone(k.Budgets), slices.Clone(k.Launches), slices.Clone(k.Graphs), slices.Clone(k.Accepts)
		for i := range k.Budgets {
			k.Budgets[i].Line = 0
		}
		for i := range k.Launches {
			k.Launches[i].Line = 0
		}
		for i := range k.Graphs {
			k.Graphs[i].Line = 0
		}
		for i := range k.Accepts {
			k.Accepts[i].Line = 0
		}
		said = append(said, k)
	}
	data, err := json.Marshal(said)
	if err != nil || len(said) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// archName is an architecture as nvcc names them.
var archName = regexp.MustCompile(`^(sm|compute)_[0-9]{2,3}[af]?$`)

// compilation reads how the sources are compiled.
func (f *fields) compilation(k *KernelSet) {
	made := f.table.get("sources")
	if made != nil {
		f.need("arch", `["sm_90"]`)
	}
	if e, items := f.texts("arch", `["sm_90"]`); e != nil {
		for _, item := range items {
			if !archName.MatchString(item.text) {
				f.add(item.span, `write "sm_90", "sm_90a", or "compute_90" for PTX`, "%q in %s is no architecture: %s", e.key, f.label, quoted(item.text))
				continue
			}
			k.Arch = append(k.Arch, item.text)
		}
	}
	if e, items := f.texts("kinds", `["cubin"]`); e != nil {
		for _, item := range items {
			if !slices.Contains(KernelKinds(), item.text) {
				f.add(item.span, "known are: "+list(KernelKinds()), "%q in %s cannot be %s", e.key, f.label, quoted(item.text))
				continue
			}
			k.Kinds = append(k.Kinds, item.text)
		}
	}
	_, items := f.texts("flags", `["-O3"]`)
	for _, item := range items {
		k.Flags = append(k.Flags, item.text)
	}
	if e, items := f.texts("include", `["cuda/include"]`); e != nil {
		for _, item := range items {
			if f.inside(e, item) {
				k.Include = append(k.Include, filepath.ToSlash(filepath.Clean(item.text)))
			}
		}
	}
	k.Output = path.Join("target/kernels", k.Name)
	if e := f.text("output", `"target/kernels"`, &k.Output); e != nil && f.inside(e, e.value) {
		if k.Output = filepath.ToSlash(filepath.Clean(k.Output)); k.Output == "." {
			f.bad(e, "leave the line out", "is the whole workspace")
		}
	}
	f.text("output-name", `"{dir}/{stem}.{arch}.{ext}"`, &k.Pattern)
	f.text("compiler", `"/usr/local/cuda/bin/nvcc"`, &k.Compiler)
	f.text("nvcc", `"13.0"`, &k.NVCCVersion)
	for _, key := range []string{"kinds", "flags", "include", "output", "output-name", "compiler", "nvcc", "arch"} {
		if e := f.table.get(key); e != nil && made == nil {
			f.add(e.span, "leave the line out", "%q in %s means nothing without %q", key, f.label, "sources")
		}
	}
}

// patterns reads globs of files within the workspace.
func (f *fields) patterns(key, example string) []string {
	e, items := f.texts(key, example)
	if e == nil {
		return nil
	}
	if len(items) == 0 {
		f.bad(e, "write "+key+" = "+example, "names nothing")
	}
	return f.globs(e, items)
}

// names reads words of any letters.
func (f *fields) names(key, example string) (out []string) {
	_, items := f.texts(key, example)
	for _, item := range items {
		out = append(out, item.text)
	}
	return out
}

// deterministic reads true, for all, or names and patterns of kernels.
func (f *fields) deterministic(k *KernelSet) {
	e := f.take("deterministic")
	switch {
	case e == nil:
	case e.value.kind == isBool:
		f.note(e)
		if e.value.text == "true" {
			k.Deterministic = []string{"*"}
		}
	case e.value.kind == isArray:
		k.Deterministic = f.names("deterministic", `["scan_fwd"]`)
	default:
		f.wrong(e, "true, or an array of names", `deterministic = ["scan_fwd"]`)
	}
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
