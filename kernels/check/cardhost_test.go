package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
	"gpuci/kernels/host"
)

// What a host names must run on the card by itself, or with what else it names: that
// another module was built for the card helps nobody who does not load it.
func TestCardsOfHosts(t *testing.T) {
	t.Parallel()
	older := asCubin("out/k.sm_80.cubin", kernel("k"))
	older.Arch = "sm_80"
	modules := []entry.Module{older, asCubin("out/k.sm_90.cubin", kernel("k"))}
	const load = `fn f(c: &C) { let m = c.load_module(Ptx::from_file("FILE")).unwrap(); m.load_function("k").unwrap(); }`
	for name, c := range map[string]struct {
		files []string
		found bool
	}{
		"nobody loads":    {nil, false},
		"the right one":   {[]string{"out/k.sm_90.cubin"}, false},
		"the wrong one":   {[]string{"out/k.sm_80.cubin"}, true},
		"both":            {[]string{"out/k.sm_80.cubin", "out/k.sm_90.cubin"}, false},
		"either, by stem": {[]string{"out/k.cubin"}, false},
		"something else":  {[]string{"out/other.cubin"}, false},
	} {
		var hosts []host.File
		for _, file := range c.files {
			hosts = append(hosts, rs(strings.Replace(load, "FILE", file, 1))...)
		}
		var got []string
		for _, f := range Check(Input{Modules: modules, Hosts: hosts, Cards: []Card{{Name: "H200", Capability: "9.0", Place: at1}}}) {
			if f.Rule == "architecture" {
				got = append(got, f.Module)
			}
		}
		var want []string
		if c.found {
			want = []string{"out/k.sm_80.cubin"}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// A launch of what is no kernel here, and one declared of a module that is not here, are
// told as that.
func TestStrangeLaunches(t *testing.T) {
	t.Parallel()
	in := Input{
		Modules:  []entry.Module{asCubin("k.cubin", kernel("gone2"))},
		Hosts:    []host.File{host.Read("h.cu", "void f(float* a) { gone<<<1, 32>>>(a); }")},
		Launches: []Launch{{Kernel: "gone2", Module: "nowhere.cubin", Place: at1}},
	}
	got := brief(Check(in))
	want := []string{"launch-kernel | gone2 | none of 1 module is", "launch-unknown | gone | none is called gone in 1 kernel of 1 module (note)"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	in.Modules = nil
	for _, line := range brief(Check(in)) {
		if strings.HasPrefix(line, "launch-unknown") {
			t.Error(line)
		}
	}
}
