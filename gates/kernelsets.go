package gates

import (
	"os"
	"path/filepath"

	"gpuci/gates/config"
	"gpuci/kernels"
	"gpuci/kernels/build"
	"gpuci/kernels/check"
)

// KernelSet is a set of a configuration as package kernels has it, of the workspace at
// root.
func KernelSet(cfg *config.Config, k config.KernelSet, root string) kernels.Set {
	s := kernels.Set{Build: buildSet(k, root), Compiler: k.Compiler, Version: k.NVCCVersion, Prebuilt: k.Prebuilt, Host: k.Host}
	s.Rules = kernelRules(cfg, k)
	for _, o := range cfg.Kernels {
		if o.Name != k.Name && len(o.Sources) > 0 {
			s.Build.Beside = append(s.Build.Beside, buildSet(o, root))
		}
	}
	return s
}

// buildSet is what of a set is compiled, and to where.
func buildSet(k config.KernelSet, root string) build.Set {
	b := build.Set{
		Name: k.Name, Root: root, Sources: k.Sources, Architectures: k.Arch, Flags: k.Flags,
		Include: k.Include, Output: k.Output, Pattern: k.Pattern, Keep: k.Prebuilt,
	}
	for _, kind := range k.Kinds {
		b.Kinds = append(b.Kinds, build.Kind(kind))
	}
	return b
}

// KernelSets are the sets that a gate names.
func KernelSets(cfg *config.Config, g config.Gate) (list []kernels.Set) {
	for _, name := range g.Kernels {
		if k, ok := cfg.KernelSet(name); ok {
			list = append(list, KernelSet(cfg, k, cfg.Root))
		}
	}
	return list
}

// kernelRules are what is asked of a set, with where that stands.
func kernelRules(cfg *config.Config, k config.KernelSet) kernels.Rules {
	at := func(key string) check.Place {
		o, _ := cfg.Origin("kernels." + k.Name + "." + key)
		return check.Place{File: config.FileName, Line: o.Line}
	}
	line := func(n int) check.Place { return check.Place{File: config.FileName, Line: n} }
	r := kernels.Rules{Prebuilt: at("prebuilt"), Host: at("host")}
	for _, b := range []check.Budget{
		{MaxRegisters: k.Registers, Place: at("max-registers")}, {MaxSpill: k.Spill, Place: at("max-spill-bytes")},
		{MaxShared: k.Shared, Place: at("max-shared")}, {MaxStack: k.Stack, Place: at("max-stack")},
	} {
		if b.MaxRegisters != nil || b.MaxSpill != nil || b.MaxShared != nil || b.MaxStack != nil {
			r.Budgets = append(r.Budgets, b)
		}
	}
	for _, b := range k.Budgets {
		r.Budgets = append(r.Budgets, check.Budget{
			Kernel: b.Kernel, MaxRegisters: b.Registers, MaxSpill: b.Spill, MaxShared: b.Shared, MaxStack: b.Stack, Place: line(b.Line),
		})
	}
	if len(k.Entries) > 0 {
		r.Entries = []check.Entries{{Names: k.Entries, Place: at("entries")}}
	}
	for _, d := range k.Deterministic {
		r.Deterministic = append(r.Deterministic, check.Deterministic{Kernel: d, Place: at("deterministic")})
	}
	for _, l := range k.Launches {
		r.Launches = append(r.Launches, check.Launch{Kernel: l.Kernel, Module: l.Module, Args: l.Args, Block: l.Block, Place: line(l.Line)})
	}
	for _, g := range k.Graphs {
		r.Graphs = append(r.Graphs, check.Graph{Name: g.Name, Entries: g.Entries, Outside: g.Outside, Place: line(g.Line)})
	}
	for _, a := range k.Accepts {
		r.Accepts = append(r.Accepts, check.Accept{Kind: a.Kind, Kernel: a.Kernel, In: a.In, Of: a.Of, Why: a.Why, Place: line(a.Line)})
	}
	card, _ := cfg.Origin("card.capability")
	for _, c := range cfg.Cards {
		r.Cards = append(r.Cards, check.Card{Name: c.Name, Capability: c.Capability, Place: check.Place{File: card.File, Line: card.Line}})
	}
	return r
}

// KernelCache is the directory of what was compiled, which all workspaces and lanes of
// a user share, since it is kept by content; "" where there is no place for one.
func KernelCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gpuci", "kernels")
}
