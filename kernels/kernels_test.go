package kernels

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/build"
	"gpuci/kernels/check"
	"gpuci/kernels/entry"
)

// stage is a workspace with the committed device code of testdata in it.
type stage struct {
	t   *testing.T
	set Set
}

func newStage(t *testing.T, files ...string) *stage {
	s := &stage{t: t, set: Set{Build: build.Set{Name: "scan", Root: t.TempDir(), Architectures: []string{"sm_90"}, Output: "out"}}}
	s.set.Rules.Prebuilt, s.set.Rules.Host = check.Place{File: "gpuci.toml", Line: 3}, check.Place{File: "gpuci.toml", Line: 4}
	for i := 0; i+1 < len(files); i += 2 {
		s.write(files[i], files[i+1])
	}
	return s
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.set.Build.Root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// data is a file of testdata.
func data(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rules are what a check finds: "rule place", with * before a note.
func (s *stage) rules(b Built) (out []string) {
	s.t.Helper()
	r, err := Check(s.t.Context(), s.set, b)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range r.Findings {
		out = append(out, f.Rule+" "+f.File)
	}
	for _, f := range r.Notes {
		out = append(out, "*"+f.Rule+" "+f.File)
	}
	return out
}

func (s *stage) want(b Built, want ...string) {
	s.t.Helper()
	if d := cmp.Diff(want, s.rules(b)); d != "" {
		s.t.Errorf("-want +got\n%s", d)
	}
}

// Whatever cannot be read is said: of no file is it taken that it holds.
func TestUnread(t *testing.T) {
	cubin := data(t, "scan.sm_90.cubin")
	s := newStage(t, "pre/cut.cubin", cubin[:len(cubin)/2], "pre/text.cubin", "no device code", "src/a.rs", "fn main() {}")
	s.set.Prebuilt, s.set.Host = []string{"pre/*", "gone/*.cubin"}, []string{"src/*.rs", "gone/*.rs"}
	s.want(Built{}, "prebuilt-missing gpuci.toml", "host-missing gpuci.toml", "module-unread pre/cut.cubin", "module-unread pre/text.cubin")

	s = newStage(t, "a.cu", "x")
	s.set.Build.Sources = []string{"*.cu"}
	b, err := Existing(t.Context(), s.set, "")
	if err != nil {
		t.Fatal(err)
	}
	s.want(b, "module-missing out/a.sm_90.cubin")
	s.write("out/a.sm_90.cubin", "")
	if b, err = Existing(t.Context(), s.set, ""); err != nil {
		t.Fatal(err)
	}
	s.want(b, "module-unread out/a.sm_90.cubin")
}

// A committed file is held against what its source makes; the same entry in both is
// no doubled one, and what no source makes is said.
func TestCommitted(t *testing.T) {
	cubin, ptx := data(t, "scan.sm_90.cubin"), data(t, "scan.ptx")
	s := newStage(t, "cuda/scan.cu", "", "pre/scan.sm_90.cubin", cubin, "pre/scan.ptx", ptx, "pre/else.cubin", cubin, "out/cuda/scan.sm_90.cubin", cubin)
	s.set.Build.Sources, s.set.Prebuilt = []string{"cuda/*.cu"}, []string{"pre/scan*", "out/**/*"}
	existing := func() Built {
		b, err := Existing(t.Context(), s.set, "")
		if err != nil || len(b.Modules) != 1 {
			t.Fatalf("%v, %d modules", err, len(b.Modules))
		}
		return b
	}
	s.want(existing(), "*prebuilt-unbuilt gpuci.toml")
	s.set.Prebuilt = append(s.set.Prebuilt, "pre/else.cubin")
	s.want(existing(), "entry-twice ", "entry-twice ", "*prebuilt-source gpuci.toml", "*prebuilt-unbuilt gpuci.toml")

	s.set.Prebuilt = s.set.Prebuilt[:1]
	b := existing()
	for i := range b.Modules[0].Kernels {
		k := &b.Modules[0].Kernels[i]
		k.Params = k.Params[:len(k.Params)-1]
	}
	s.want(b, "stale-params gpuci.toml", "stale-params gpuci.toml", "stale-params gpuci.toml", "stale-params gpuci.toml", "*prebuilt-unbuilt gpuci.toml")
}

// What was spilled stands in no cubin: a committed kernel has it from the build that
// gave the same, and from no other.
func TestSettle(t *testing.T) {
	n := func(i int) *int { return &i }
	kernel := func(hash string, spills *int) entry.Module {
		return entry.Module{Toolkit: "13.0", Kernels: []entry.Kernel{{Name: "f", Registers: n(8), Stack: n(0), Code: n(64), CodeHash: hash, SpillStores: spills}}}
	}
	for _, hash := range []string{"", "a", "b"} {
		c := kernel("b", nil)
		settle(c, kernel(hash, n(4)))
		if got := c.Kernels[0].SpillStores; (got != nil) != (hash == "b") {
			t.Errorf("against code %q: %v", hash, got)
		}
	}
}

func TestNearest(t *testing.T) {
	sources := []string{"a/scan.cu", "b/scan.cu", "b/deep/scan.cu", "b/sum.sm.cu"}
	for file, want := range map[string]string{
		"b/scan.cubin": "b/scan.cu", "pre/a/scan.sm_90.cubin": "a/scan.cu", "b/deep/scan_sm90a.ptx": "b/deep/scan.cu",
		"x/scan-sm_100f.cubin": "a/scan.cu", "scanner.cubin": "", "b/sum.sm.compute_90.ptx": "b/sum.sm.cu", "scan_fwd.cubin": "", "b/scan.sm_90+sm_80.fatbin": "b/scan.cu", "b/scan.sm_90a+compute_90.o": "b/scan.cu", "scan+sm_80.o": "",
	} {
		if got := nearest(file, sources); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}

// The worst comes first: what breaks a host, then what grew most, then what shrank.
func TestDiffOrder(t *testing.T) {
	n := func(i int) *int { return &i }
	module := func(list ...entry.Kernel) []entry.Module {
		return []entry.Module{{Kind: "cubin", Arch: "sm_90", Kernels: list}}
	}
	two := []entry.Param{{Size: 8}, {Offset: 8, Size: 4}}
	a := module(
		entry.Kernel{Name: "a", Registers: n(64), Code: n(100)}, entry.Kernel{Name: "b", Registers: n(10), SpillStores: n(0)},
		entry.Kernel{Name: "c", Registers: n(10), Params: two, ParamsKnown: true}, entry.Kernel{Name: "gone"},
	)
	b := module(
		entry.Kernel{Name: "a", Registers: n(32), Code: n(101)}, entry.Kernel{Name: "b", Registers: n(11), SpillStores: n(8)},
		entry.Kernel{Name: "c", Registers: n(20), Params: two[:1], ParamsKnown: true}, entry.Kernel{Name: "new"},
	)
	var got []string
	for _, c := range Diff(a, b) {
		got = append(got, c.Kernel+" "+c.What)
		if want := c.What != "added" && c.Kernel+c.What != "aregisters"; Worse(c) != want {
			t.Errorf("%s %s: worse %v", c.Kernel, c.What, !want)
		}
	}
	if d := cmp.Diff([]string{"gone removed", "c params", "b spill-stores", "c registers", "b registers", "a code", "a registers", "new added"}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if len(Diff(a, a)) != 0 {
		t.Error("a state differs from itself")
	}
}
