package config

import "slices"

// KernelAccept says of findings of a kind that they may stand, and why.
type KernelAccept struct {
	Kind   string   // one of KernelAccepts
	Kernel string   // a name, or a pattern with *; "" is any
	In     string   // the file where it is, or the module that it is about; a name or a pattern; "" is any
	Of     []string // the code that was looked at, as the finding says it, or words of what was found; empty is any
	Why    string
	Line   int // in gpuci.toml
}

// KernelAccepts are the findings that a person can know better, and the notes. What is
// measured and what breaks a launch is not among them.
func KernelAccepts() []string {
	return []string{
		"architecture", "budget-unknown", "entry-new", "entry-twice", "float-atomic-unknown", "graph-outside", "graph-shared", "host-unclear",
		"launch-unknown", "lookup-unknown", "module-unknown", "prebuilt-source", "prebuilt-unbuilt", "stale-toolkit",
	}
}

func (f *fields) accepts(k *KernelSet) {
	const kind, why = `"float-atomic-unknown"`, `"its loop takes the larger of two: no sum"`
	for _, table := range f.tables("accept") {
		t := f.fields(f.place.in("accept"), "[[kernels.accept]]", table)
		a := KernelAccept{Line: f.line(table.span.from)}
		t.need("kind", kind)
		if e := t.word("kind", kind, &a.Kind); e != nil && !slices.Contains(KernelAccepts(), a.Kind) {
			t.bad(e, meant(a.Kind, KernelAccepts(), "these can: "+list(KernelAccepts())), "is %s, which cannot be accepted", quoted(a.Kind))
		}
		t.text("kernel", `"scan_*"`, &a.Kernel)
		t.text("in", `"src/main.rs"`, &a.In)
		a.Of = t.names("of", `["3fa9c1d0"]`)
		if table.get("kernel") == nil && table.get("in") == nil {
			t.needOr("kernel", `"scan_fwd"`, `, or in = "src/main.rs", the file that it is in or about`)
		}
		t.need("why", why)
		t.title("why", why, &a.Why)
		t.done()
		k.Accepts = append(k.Accepts, a)
	}
}
