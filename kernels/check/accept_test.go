package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
	"gpuci/kernels/host"
)

// What somebody has accepted stands beside what is found, and only where it may; what
// was accepted and is not there is told.
func TestAccepting(t *testing.T) {
	modules := []entry.Module{asCubin("pre/a.cubin", entry.Kernel{Name: "_Z4stepPf", Readable: "step(float*)"})}
	unknown := Finding{Rule: "float-atomic-unknown", Kernel: "step(float*)", Module: "pre/a.cubin (sm_90)", Of: "0123abcd"}
	stale := Finding{Rule: "stale-code", Kernel: "step(float*)"}
	unclear := Finding{Rule: "host-unclear", File: "src/a.rs", Line: 3, Note: true, Found: "put together at run time"}
	of := []string{"0123abcd"}
	for _, tt := range []struct {
		name           string
		accept         Accept
		left, accepted int
	}{
		{"by the name in the source", Accept{Kind: "float-atomic-unknown", Kernel: "step", Of: of, Why: "w"}, 2, 1},
		{"by the driver's name", Accept{Kind: "float-atomic-unknown", Kernel: "_Z4stepPf", Of: of, Why: "w"}, 2, 1},
		{"by the module", Accept{Kind: "float-atomic-unknown", In: "a.cubin", Of: of, Why: "w"}, 2, 1},
		{"by the file", Accept{Kind: "host-unclear", In: "src/*.rs", Why: "w"}, 2, 1},
		{"another kernel", Accept{Kind: "float-atomic-unknown", Kernel: "stop", Why: "w"}, 4, 0},
		{"another module", Accept{Kind: "float-atomic-unknown", Kernel: "step", In: "b.cubin", Why: "w"}, 4, 0},
		{"of the code that was looked at", Accept{Kind: "float-atomic-unknown", Kernel: "step", Of: []string{"00000000", "0123abcd"}, Why: "w"}, 2, 1},
		{"words of what was found", Accept{Kind: "host-unclear", In: "src/a.rs", Of: []string{"run time"}, Why: "w"}, 2, 1},
		{"other words", Accept{Kind: "host-unclear", In: "src/a.rs", Of: []string{"a macro"}, Why: "w"}, 3, 0},
		{"what is measured", Accept{Kind: "stale-code", Kernel: "step", Why: "w"}, 4, 0},
	} {
		left, accepted := Accepting([]Finding{unknown, stale, unclear}, []Accept{tt.accept}, modules)
		if len(left) != tt.left || len(accepted) != tt.accepted {
			t.Errorf("%s: left %+v, accepted %+v", tt.name, left, accepted)
		}
		if tt.accepted > 0 && accepted[0].Accepted != "w" {
			t.Errorf("%s: why is not said: %+v", tt.name, accepted[0])
		}
		if last := left[len(left)-1]; tt.accepted == 0 && tt.name != "other words" && (last.Rule != "accept-unmatched" || !last.Note || last.Next == "") {
			t.Errorf("%s: that nothing was accepted is not said: %+v", tt.name, last)
		}
	}
	if left, _ := Accepting([]Finding{stale}, nil, nil); !cmp.Equal(left, []Finding{stale}) {
		t.Errorf("with nothing accepted: %+v", left)
	}
}

// An acceptance holds for the code that somebody looked at; of other code, and where it
// does not say of which, the finding stands and says so.
func TestAcceptedCode(t *testing.T) {
	swap := func(hash string) []entry.Module {
		return []entry.Module{asCubin("a.cubin", entry.Kernel{Name: "c", CodeHash: hash, AtomicsWhy: "a compare-and-swap at 0x350"})}
	}
	find := func(hash string, a Accept) (left, accepted []Finding) {
		a.Kind, a.Kernel, a.Place = "float-atomic-unknown", "c", Place{"gpuci.toml", 7}
		left, accepted = Accepting(Each(Input{Modules: swap(hash), Deterministic: []Deterministic{{Kernel: "*"}}}), []Accept{a}, swap(hash))
		return Together(left), Together(accepted)
	}
	left, _ := find("a", Accept{})
	if len(left) != 1 || !strings.HasSuffix(left[0].Found, "; the acceptance in gpuci.toml:7 does not say of which code it is") || !strings.Contains(left[0].Next, `of = ["`+left[0].Of+`"]`) {
		t.Fatalf("of no code: %+v", left)
	}
	of := Accept{Of: []string{left[0].Of}}
	if left, accepted := find("a", of); len(left) != 0 || len(accepted) != 1 {
		t.Errorf("of this code: %+v, %+v", left, accepted)
	}
	if left, accepted := find("b", of); len(left) != 1 || len(accepted) != 0 || !strings.Contains(left[0].Found, "; what was accepted in gpuci.toml:7 is other code") {
		t.Errorf("of other code: %+v, %+v", left, accepted)
	}
}

// What is one finding of several kernels or modules can be accepted of one of them, and
// what of an acceptance is not so is told.
func TestAcceptingOneOfMany(t *testing.T) {
	modules := []entry.Module{asCubin("a.cubin", kernel("f"), kernel("g"), kernel("h")), asCubin("b.cubin", kernel("i"), kernel("j"))}
	in := Input{Modules: modules, Budgets: []Budget{{MaxSpill: number(0)}}, Entries: []Entries{{Names: []string{"f"}}}}
	all := Each(in)
	for _, tt := range []struct {
		list []Accept
		want []string
	}{
		{nil, []string{
			"budget-unknown |  | how many bytes of spills its 3 kernels have is not known: f, g, h", "budget-unknown |  | how many bytes of spills its 2 kernels have is not known: i, j",
			"entry-new |  | 4 that are not: g, h, i, j (note)",
		}},
		{[]Accept{{Kind: "budget-unknown", Kernel: "g"}, {Kind: "budget-unknown", In: "b.cubin"}, {Kind: "entry-new", Kernel: "[hij]"}}, []string{
			"budget-unknown |  | how many bytes of spills its 2 kernels have is not known: f, h", "entry-new | g | one that is not (note)",
		}},
		{[]Accept{{Kind: "budget-unknown", Kernel: "*"}, {Kind: "budget-unknown", Kernel: "f"}, {Kind: "entry-new", Kernel: "f"}, {Kind: "entry-twice", Kernel: "f"}}, []string{
			"entry-new |  | 4 that are not: g, h, i, j (note)", "accept-unmatched | f | the acceptance in line 1 has it already (note)",
			"accept-unmatched | f | none is there, and 4 of the kind elsewhere (note)", "accept-unmatched | f | there is none (note)",
		}},
	} {
		for i := range tt.list {
			tt.list[i].Line = i + 1
		}
		left, _ := Accepting(all, tt.list, modules)
		if d := cmp.Diff(tt.want, brief(Together(left))); d != "" {
			t.Errorf("%+v: -want +got\n%s", tt.list, d)
		}
	}
}

// Of a host source that the set does not compile one note says what it launches.
func TestLaunchesTogether(t *testing.T) {
	text := "void f() { one<<<1, 2>>>(p);\ntwo<<<1, 2>>>(p);\none<<<1, 2>>>(p);\nkernal<<<1, 2>>>(p); }"
	in := Input{Modules: []entry.Module{asCubin("a.cubin", kernel("kernel"))}, Hosts: []host.File{host.Read("b.cu", text), host.Read("c.cu", text)}, Sources: map[string]string{"a.cubin": "c.cu"}}
	want := []string{
		"launch-unknown |  | 3 launches of one, two, none of which is in 1 kernel of 1 module (note)", "launch-unknown | kernal | none is called kernal in 1 kernel of 1 module (note)",
		"launch-unknown | one | none is called one in 1 kernel of 1 module (note)", "launch-unknown | two | none is called two in 1 kernel of 1 module (note)",
		"launch-unknown | one | none is called one in 1 kernel of 1 module (note)", "launch-unknown | kernal | none is called kernal in 1 kernel of 1 module (note)",
	}
	if d := cmp.Diff(want, brief(Check(in))); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// Of a module in which some kernels run nowhere these are named, and where none does none.
func TestStranded(t *testing.T) {
	cards := []Card{{Name: "A100", Capability: "8.0"}}
	modules := []entry.Module{asCubin("a.cubin", kernel("f"), kernel("g"), kernel("h"))}
	if got := brief(Check(Input{Modules: modules, Cards: cards})); len(got) != 1 || got[0] != "architecture |  | cubin for sm_90" {
		t.Errorf("%q", got)
	}
	modules = append(modules, entry.Module{File: "b.cubin", Kind: "cubin", Arch: "sm_80", Kernels: []entry.Kernel{kernel("f")}})
	if got := brief(Check(Input{Modules: modules, Cards: cards})); len(got) != 1 || got[0] != "architecture |  | cubin for sm_90, and 2 kernels in no other: g, h" {
		t.Errorf("%q", got)
	}
}
