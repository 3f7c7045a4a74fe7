package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
