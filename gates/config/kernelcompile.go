package config

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

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
