package ptx

import (
	"strings"
	"testing"
)

const hashed = `//
.version 8.5
.target sm_90
.address_size 64

.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.global .align 1 .b8 $str[5] = {107, 46, 99, 117};
.extern .func __assertfail(.param .b64 a);
.func (.param .b32 r) pointed(.param .b32 a)
{
	mul.f32 %f1, %f1, %f2;
	mov.u64 %rd1, $str;
	ret;
}
.global .align 8 .u64 pointers[1] = {pointed};
.func (.param .b32 r) heavy(.param .b32 a)
{
	add.f32 %f1, %f1, %f2;
	ret;
}
.visible .entry k(.param .u64 k_param_0)
{
	.loc	1 3 4
	.reg .b32 %r<4>;
$L__BB1_2:
	call.uni (r), heavy, (a);
	bra $L__BB1_2;
	ret;
}
.visible .entry other(.param .u64 other_param_0)
{
	ret;
}
`

// TestHash: what a kernel runs counts, wherever it stands, and nothing that is written
// for debuggers or follows from what stands before it.
func TestHash(t *testing.T) {
	hashes := func(text string) (k, data string) {
		t.Helper()
		m, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range m.Kernels {
			if one.Name == "k" {
				k = one.CodeHash
			}
		}
		return k, m.DataHash
	}
	k, data := hashes(hashed)
	if len(k) != 32 || len(data) != 32 {
		t.Fatalf("%q, %q", k, data)
	}
	for _, tt := range []struct {
		name, from, to string
		code, data     bool // whether that changes them
	}{
		{"nothing", "", "", false, false},
		{"lines for debuggers", ".loc	1 3 4\n", ".loc	1 9 9, function_name $L__info0, inlined_at 1 2 3\n", false, false},
		{"no lines for debuggers", "	.loc	1 3 4\n", "", false, false},
		{"a file for debuggers", ".visible .entry k", ".file	1 \"/a/b.cu\"\n.section .debug_str\n{\n.b8 1\n}\n.visible .entry k", false, false},
		{"space and comments", "bra ", "bra  /* back */  ", false, false},
		{"the place in the module", "$L__BB1_2", "$L__BB9_2", false, false},
		{"the path of the source", "{107, 46, 99, 117}", "{97, 47, 107, 46, 99, 117}", false, false},
		{"the text of a path", "{107, 46, 99, 117}", "{108, 46, 99, 117}", false, true},
		{"a text that is no path", "{107, 46, 99, 117}", "{107, 46, 99}", false, true},
		{"its number", "$str", "$str$7", false, false},
		{"what is called by its address", "mul.f32", "div.f32", false, true},
		{"another kernel", "	ret;\n}\n", "	ret;\n}\n.visible .entry third()\n{\nret;\n}\n", false, false},
		{"an instruction", "bra ", "brx ", true, false},
		{"a type", ".reg .b32", ".reg .b64", true, false},
		{"a parameter", ".u64 k_param_0", ".u32 k_param_0", true, false},
		{"a bound", "k(.param .u64 k_param_0)", "k(.param .u64 k_param_0) .maxntid 64, 1, 1", true, false},
		{"what it calls", "add.f32", "sub.f32", true, false},
		{"a variable", "{1, 2, 3, 4}", "{1, 2, 3, 5}", false, true},
	} {
		gotK, gotData := hashes(strings.ReplaceAll(hashed, tt.from, tt.to))
		if tt.from == "" || tt.name == "another kernel" {
			gotK, gotData = hashes(strings.Replace(hashed, tt.from, tt.to, 1))
		}
		if (gotK != k) != tt.code || (gotData != data) != tt.data {
			t.Errorf("%s: the code changes %v, the data %v", tt.name, gotK != k, gotData != data)
		}
	}
	const path = "{97, 47, 107, 46, 99, 117}"
	calm := strings.Replace(hashed, "__assertfail", "vprintf", 1)
	_, one := hashes(calm)
	if _, other := hashes(strings.Replace(calm, "{107, 46, 99, 117}", path, 1)); one == other {
		t.Error("where nothing asserts, a path is no text")
	}
}
