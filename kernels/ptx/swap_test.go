package ptx

import (
	"strings"
	"testing"
)

// A loop of compare-and-swap around an addition of floats is one, and any other stays
// unknown.
func TestSwaps(t *testing.T) {
	const head = ".version 8.5\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<9>;\n"
	for body, want := range map[string]string{
		"$L: mov.b32 %f1, %r5; add.f32 %f2, %f1, 0f40000000; mov.b32 %r4, %f2; ":                        "add.f32",
		"$L: mov.b32 %f1, %r5;\n\t.loc 1 2 3\n\tadd.ftz.f32 %f2, %f3, %f1; mov.b32 %r4, %f2;\n\t":       "add.ftz.f32",
		"mov.b32 {%rs1, %rs2}, %r5; add.rn.f16 %rs3, %rs1, %rs4; mov.b32 %r4, {%rs3, %rs2}; ":           "add.rn.f16",
		"mov.b32 %f1, %r5; fma.rn.f32 %f2, %f7, %f8, %f1; mov.b32 %r4, %f2; ":                           "fma.rn.f32",
		"add.f32 %f9, %f8, 0f3F800000; $L: mov.b32 %f1, %r5; max.f32 %f2, %f1, %f9; mov.b32 %r4, %f2; ": "",
		"mul.lo.s32 %r4, %r5, 3; ": "", "add.s32 %r4, %r5, 1; ": "",
		"ld.global.u32 %r4, [%rd1]; add.f32 %f1, %f2, %f3; ": "", "": "",
	} {
		m, err := Parse([]byte(head + "\t" + body + "atom.global.cas.b32 %r3, [%rd1], %r5, %r4;\n\tsetp.ne.s32 %p1, %r5, %r3; mov.u32 %r5, %r3; @%p1 bra $L;\n\tret;\n}\n"))
		if err != nil || len(m.Kernels) != 1 {
			t.Fatal(err)
		}
		got := ""
		for _, a := range m.Kernels[0].Atomics {
			got = strings.TrimPrefix(a.Op, "atom.global.cas.b32 of ")
		}
		if got != want || m.Kernels[0].AtomicsKnown != (want != "") {
			t.Errorf("%s: it is %q, known %v, want %q", body, got, m.Kernels[0].AtomicsKnown, want)
		}
	}
}
