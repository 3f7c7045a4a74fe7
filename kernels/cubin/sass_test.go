package cubin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
)

// TestAtomicsAgreeWithNvdisasm assembles every form of reduction that PTX has, each
// in a kernel of its own, and holds what is found in the instructions against
// nvdisasm's words.
func TestAtomicsAgreeWithNvdisasm(t *testing.T) {
	assembler, nvdisasm := need(t, "ptxas"), need(t, "nvdisasm")
	for _, arch := range []string{"70", "75", "80", "90", "100", "100a", "120"} {
		t.Run("sm_"+arch, func(t *testing.T) {
			dir := t.TempDir()
			source, cubin := filepath.Join(dir, "a.ptx"), filepath.Join(dir, "a.cubin")
			if err := os.WriteFile(source, []byte(everyReduction(arch)), 0o666); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.CommandContext(t.Context(), assembler, "-arch=sm_"+arch, "-o", cubin, source).CombinedOutput(); err != nil {
				if bytes.Contains(said, []byte("gpu-name")) {
					t.Skipf("this ptxas does not know sm_%s", arch)
				}
				t.Fatalf("ptxas: %v\n%s", err, said)
			}
			out, _ := run(t, nvdisasm, cubin)
			m := parseFile(t, cubin)
			if found := holdAgainst(t, m, listing(out)); found < 6 {
				t.Errorf("%d kernels with float atomics were there to be found", found)
			}
		})
	}
}

// holdAgainst compares each kernel's float atomics, and whether they are known,
// with a listing, and gives the kernels that have some.
func holdAgainst(t *testing.T, m entry.Module, list []instruction) int {
	t.Helper()
	want, unsure := map[string][]entry.Atomic{}, map[string]bool{}
	for _, i := range list {
		if op := i.adds(); op != "" {
			s := scan{atomics: want[i.kernel]}
			s.add(op, i.at)
			want[i.kernel] = s.atomics
		}
		unsure[i.kernel] = unsure[i.kernel] || reUnsure.MatchString(i.text)
	}
	found := 0
	for _, k := range m.Kernels {
		alone := len(k.Atomics)
		k.Atomics = slices.DeleteFunc(k.Atomics, func(a entry.Atomic) bool { return strings.Contains(a.Op, ".CAS of ") }) // which cas_test.go has
		if alone > len(k.Atomics) {
			unsure[k.Name] = !k.AtomicsKnown
		}
		if len(k.Atomics) == 0 {
			k.Atomics = nil
		}
		if d := cmp.Diff(want[k.Name], k.Atomics); d != "" {
			t.Errorf("%s: -nvdisasm +got:\n%s", k.Name, d)
		}
		if k.AtomicsKnown == unsure[k.Name] {
			t.Errorf("%s: known %v, unsure by nvdisasm's words %v", k.Name, k.AtomicsKnown, unsure[k.Name])
		}
		if len(k.Atomics) > 0 {
			found++
		}
	}
	return found
}

// everyReduction is a PTX module with a kernel for each.
func everyReduction(arch string) string {
	number, _ := strconv.Atoi(strings.TrimRight(arch, "a"))
	version := "8.3"
	if number >= 100 {
		version = "8.7"
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target sm_%s\n.address_size 64\n", version, arch)
	kernel := func(name, body string) {
		fmt.Fprintf(&b, `.visible .entry %s(.param .u64 p, .param .u64 q) {
	.reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .f64 %%d<9>; .reg .b64 %%l<9>;
	.shared .align 128 .b8 mem[256];
	ld.param.u64 %%l1, [p]; ld.param.u64 %%l2, [q]; mov.u64 %%l4, mem;
	ld.u16 %%h1, [%%l2]; ld.u16 %%h2, [%%l2+2]; ld.u16 %%h3, [%%l2+4]; ld.u16 %%h4, [%%l2+6];
	ld.u32 %%r1, [%%l2]; ld.u32 %%r2, [%%l2+4]; ld.u32 %%r3, [%%l2+8]; ld.u32 %%r4, [%%l2+12];
	ld.f32 %%f1, [%%l2]; ld.f32 %%f2, [%%l2+4]; ld.f32 %%f3, [%%l2+8]; ld.f32 %%f4, [%%l2+12];
	ld.f64 %%d1, [%%l2]; ld.u64 %%l3, [%%l2+8];
	%s
	ret;
}
`, name, body)
	}
	for _, k := range scalarReductions {
		if number < k.from {
			continue
		}
		for space, at := range map[string]string{".global": "%l1", ".shared": "mem", "": "%l1"} {
			name := strings.Trim(strings.ReplaceAll(k.kind+space, ".", "_"), "_")
			kernel("red_"+name, fmt.Sprintf("red%s.add.%s [%s], %s;", space, k.kind, at, k.register))
			kernel("atom_"+name, fmt.Sprintf("atom%s.add.%s %s5, [%s], %s; st.%s [%%l2], %[3]s5;", space, k.kind, k.register[:2], at, k.register, k.store))
		}
	}
	kernel("swap", "atom.global.cas.b32 %r5, [%l1], %r1, %r2; st.u32 [%l2], %r5;")
	kernel("exchange", "atom.global.exch.b32 %r5, [%l1], %r1; st.u32 [%l2], %r5;")
	kernel("most", "red.global.max.s32 [%l1], %r1; red.global.min.u64 [%l1], %l3;")
	if number >= 90 {
		for i, body := range reductionsFrom90 {
			kernel(fmt.Sprintf("from90_%d", i), body)
		}
	}
	if arch == "100a" {
		for i, body := range reductionsOf100a() {
			kernel(fmt.Sprintf("of100a_%d", i), body)
		}
	}
	return b.String()
}

// reductionsOf100a are the loads that add numbers of eight bits, of each size and with
// each width of the sum.
func reductionsOf100a() (list []string) {
	for _, kind := range []string{"e4m3x4", "e5m2x4"} {
		for _, operation := range []string{"add", "add.acc::f16", "min"} {
			for vector, to := range map[string]string{"": "%r5", ".v2": "{%r5,%r6}", ".v4": "{%r5,%r6,%r7,%r8}"} {
				list = append(list, fmt.Sprintf("multimem.ld_reduce.relaxed.sys.global.%s%s.%s %s, [%%l1]; st.u32 [%%l2], %%r5;", operation, vector, kind, to))
			}
		}
	}
	return list
}

var scalarReductions = []struct {
	kind, register, store string
	from                  int
}{
	{"f32", "%f1", "f32", 0}, {"f64", "%d1", "f64", 0}, {"noftz.f16", "%h1", "u16", 70}, {"noftz.f16x2", "%r1", "u32", 0},
	{"noftz.bf16", "%h1", "u16", 90}, {"noftz.bf16x2", "%r1", "u32", 90},
	{"u32", "%r1", "u32", 0}, {"s32", "%r1", "u32", 0}, {"u64", "%l3", "u64", 0},
}

var reductionsFrom90 = []string{
	"red.global.add.v2.f32 [%l1], {%f1,%f2};",
	"red.global.add.v4.f32 [%l1], {%f1,%f2,%f3,%f4};",
	"atom.global.add.v4.f32 {%f5,%f6,%f7,%f8}, [%l1], {%f1,%f2,%f3,%f4}; st.f32 [%l2], %f5;",
	"red.global.add.noftz.v2.f16 [%l1], {%h1,%h2};",
	"red.global.add.noftz.v4.f16x2 [%l1], {%r1,%r2,%r3,%r4};",
	"red.global.add.noftz.v4.bf16x2 [%l1], {%r1,%r2,%r3,%r4};",
	"red.global.min.noftz.v4.bf16x2 [%l1], {%r1,%r2,%r3,%r4};",
	"red.global.max.noftz.v2.f16 [%l1], {%h1,%h2};",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%l1], [%l4], 16;",
	"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%l1, {%r1}], [%l4];",
	"cp.reduce.async.bulk.tensor.1d.global.shared::cta.max.bulk_group [%l1, {%r1}], [%l4];",
	"multimem.red.relaxed.sys.global.add.f32 [%l1], %f1;",
	"multimem.red.relaxed.sys.global.add.v4.f32 [%l1], {%f1,%f2,%f3,%f4};",
	"multimem.red.relaxed.sys.global.add.bf16x2 [%l1], %r1;",
	"multimem.red.relaxed.sys.global.add.u32 [%l1], %r1;",
	"multimem.ld_reduce.relaxed.sys.global.add.f32 %f5, [%l1]; st.f32 [%l2], %f5;",
	"multimem.ld_reduce.relaxed.sys.global.add.v4.f16x2 {%r5,%r6,%r7,%r8}, [%l1]; st.u32 [%l2], %r5;",
	"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.f16x2 {%r5,%r6,%r7,%r8}, [%l1]; st.u32 [%l2], %r5;",
	"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.bf16x2 %r5, [%l1]; st.u32 [%l2], %r5;",
	"multimem.ld_reduce.relaxed.sys.global.min.bf16x2 %r5, [%l1]; st.u32 [%l2], %r5;",
	"multimem.ld_reduce.relaxed.sys.global.add.u32 %r5, [%l1]; st.u32 [%l2], %r5;",
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%l4], %r1, [%l4+64];",
}

// TestEveryOperation hands nvdisasm each of the 512 operations with each kind of
// operands, and those that this package looks at with every value of the bits that
// it decides by. Whatever nvdisasm calls a float addition must be one here, or not
// known; whatever is one here must be one there. All architectures are tried with
// GPUCI_SOAK=1.
func TestEveryOperation(t *testing.T) {
	nvdisasm := need(t, "nvdisasm")
	for _, arch := range architectures {
		if arch < 75 { // the releases that know them stop at the first of thousands that they cannot read
			continue
		}
		if few := []int{75, 80, 90, 100}; os.Getenv("GPUCI_SOAK") == "" && !slices.Contains(few, arch) {
			continue
		}
		t.Run(fmt.Sprint("SM", arch), func(t *testing.T) {
			words := everyOperation()
			texts, ok := disassemble(t, nvdisasm, arch, words)
			if !ok {
				t.Skip("this nvdisasm does not know the architecture")
			}
			found := 0
			for i, w := range words {
				if texts[i] == "" || strings.Contains(texts[i], "INVALID") || strings.Contains(texts[i], "???") {
					continue
				}
				found += holdOne(t, arch, w, texts[i])
			}
			if found < 20 {
				t.Errorf("%d float additions were there to be found", found)
			}
		})
	}
}

// holdOne compares one instruction and gives 1 where it is a float addition.
func holdOne(t *testing.T, arch int, w [2]uint64, text string) int {
	t.Helper()
	r := &reader{number: arch}
	var code [16]byte
	binary.LittleEndian.PutUint64(code[:], w[0])
	binary.LittleEndian.PutUint64(code[8:], w[1])
	s := r.scan(code[:])
	i := instruction{text: text}
	want, got := i.adds(), ""
	if len(s.atomics) > 0 {
		got = s.atomics[0].Op
	}
	if got != want || s.unsure == "" && want == "" && reUnsure.MatchString(text) {
		t.Errorf("%016x %016x is %s: found %q, want %q, unsure %q", w[0], w[1], text, got, want, s.unsure)
	}
	if want == "" {
		return 0
	}
	return 1
}

// everyOperation gives the instructions to look at, as lower and upper halves.
// The rest of each is as a compiler left it in one of that operation.
func everyOperation() [][2]uint64 {
	var words [][2]uint64
	for _, high := range []uint64{0, 0x000fe2000c10f384, 0x000e240001800009, 0x0001d80008080405, 0x004ea800081ee1c4, 0x0008014704} {
		for low := range uint64(1 << 12) {
			words = append(words, [2]uint64{0x0000000304047000 | low, high})
		}
	}
	for _, w := range [][2]uint64{
		{0x000000070400798a, 0x004ea2000810e1c4}, {0x000000030400798e, 0x004fe2000c10e184}, {0x00000007040579a8, 0x004ea800081ee1c4},
		{0x00000002ffff738c, 0x000fe200000000ff}, {0x00000007040079a2, 0x004162000810e1c4}, {0x00000007040579a3, 0x004ea400081ee1c4},
		{0x00000003040079a6, 0x004fe2000c10e184}, {0x00000000ff0579a5, 0x000eaa0008014104}, {0x00000000ff0579a4, 0x000eaa0008014104},
		{0x0000000304047dbe, 0}, {0x0000000304047378, 0}, {0x0000000304047593, 0}, {0x0000000304047394, 0}, {0x0000000304047f9f, 0},
		{0x00000006040073bb, 0x0001d80008000405}, {0x00000004060073b6, 0x0001d80008000000},
	} {
		for bits := range uint64(1 << 10) {
			kind, operation := bits&0x1f, bits>>5<<23&(0xf<<23)
			at := 9
			if w[0]&0x1ff == opBulkReduce {
				at = 17
			}
			words = append(words, [2]uint64{w[0], w[1]&^(0x1f<<at|0xf<<23) | kind<<at | operation})
		}
	}
	return words
}

var reAddress = regexp.MustCompile(`at address 0x([0-9a-f]+)`)

// disassemble gives nvdisasm's text of each instruction, "" where it has none. It
// stops at what it cannot read, so that is left out and the rest tried again.
func disassemble(t *testing.T, nvdisasm string, arch int, words [][2]uint64) ([]string, bool) {
	t.Helper()
	texts := make([]string, len(words))
	live := make([]int, len(words))
	for i := range live {
		live[i] = i
	}
	path := filepath.Join(t.TempDir(), "raw")
	for range 20 {
		var raw bytes.Buffer
		for _, i := range live {
			binary.Write(&raw, binary.LittleEndian, words[i])
		}
		if err := os.WriteFile(path, raw.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), nvdisasm, "--binary", fmt.Sprint("SM", arch), path)
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		bad := map[int]bool{}
		for _, m := range reAddress.FindAllStringSubmatch(errs.String(), -1) {
			at, _ := strconv.ParseInt(m[1], 16, 64)
			bad[int(at/16)] = true
		}
		if err == nil && len(bad) == 0 {
			for _, i := range listing(out.String()) {
				texts[live[i.at/16]] = i.text
			}
			return texts, true
		}
		if len(bad) == 0 {
			return nil, false
		}
		var rest []int
		for i, l := range live {
			if !bad[i] {
				rest = append(rest, l)
			}
		}
		live = rest
	}
	t.Fatal("nvdisasm finds more to object to each time")
	return nil, false
}
