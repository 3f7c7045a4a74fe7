package config

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
