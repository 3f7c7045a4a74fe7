package cubin

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/entry"
	"gpuci/kernels/ptxas"
)

// TestSpillsOfCalledFunctions: a budget of spills holds for what a kernel runs, not for
// the few lines of its own; and where that is compiled apart, nobody knows.
func TestSpillsOfCalledFunctions(t *testing.T) {
	for _, arch := range []string{"80", "90"} {
		path, said := compile(t, "testdata/calls.cu", arch, "--maxrregcount=32")
		m := parseFile(t, path)
		ptxas.Into(&m, ptxas.Parse(said))
		by := kernels(m)
		if k := by["direct"]; k.CallsOut || k.SpillStores == nil || *k.SpillStores == 0 || *k.SpillLoads == 0 {
			t.Errorf("sm_%s: direct spills %s bytes, calls out %v", arch, say(k.SpillStores), k.CallsOut)
		}
		if k := by["quiet"]; k.SpillStores == nil || *k.SpillStores != 0 {
			t.Errorf("sm_%s: quiet spills %s bytes", arch, say(k.SpillStores))
		}
		path, said = compile(t, "testdata/calls.cu", arch, "--maxrregcount=32", "-rdc=true")
		m = parseFile(t, path)
		ptxas.Into(&m, ptxas.Parse(said))
		by = kernels(m)
		for _, name := range []string{"direct", "adds", "recurs", "logs"} {
			if k := by[name]; !m.ToLink || !k.CallsOut || k.SpillStores != nil || k.SpillLoads != nil {
				t.Errorf("sm_%s, to be linked: %s spills %s bytes, calls out %v", arch, name, say(k.SpillStores), k.CallsOut)
			}
		}
		for _, name := range []string{"quiet", "divides", "prints", "asserts", "swaps"} {
			if k := by[name]; k.CallsOut || k.SpillStores == nil || *k.SpillStores != 0 {
				t.Errorf("sm_%s, to be linked: %s spills %s bytes, calls out %v", arch, name, say(k.SpillStores), k.CallsOut)
			}
		}
	}
}

// link links cubins that are to be linked.
func link(t *testing.T, arch string, paths ...string) entry.Module {
	t.Helper()
	out := filepath.Join(t.TempDir(), "linked.cubin")
	run(t, need(t, "nvlink"), append([]string{"-arch=sm_" + arch, "-o", out}, paths...)...)
	return parseFile(t, out)
}

// TestLinked: once all is linked, calls are followed into other sections and through
// tables, and whose stack is endless is not known.
func TestLinked(t *testing.T) {
	for _, arch := range []string{"75", "90"} {
		if !knows(t, arch) {
			continue
		}
		calls, _ := compile(t, "testdata/calls.cu", arch, "-rdc=true")
		by := kernels(link(t, arch, calls))
		if k := by["adds"]; !k.AtomicsKnown || len(k.Atomics) != 1 || !strings.Contains(k.Atomics[0].In, "adding") || !k.CallsOut {
			t.Errorf("sm_%s: adds has %+v, known %v %q", arch, k.Atomics, k.AtomicsKnown, k.AtomicsWhy)
		}
		if k := by["logs"]; !k.AtomicsKnown || len(k.Atomics) != 0 {
			t.Errorf("sm_%s: logs has %+v, known %v %q", arch, k.Atomics, k.AtomicsKnown, k.AtomicsWhy)
		}
		if k := by["recurs"]; k.Stack != nil {
			t.Errorf("sm_%s: the stack of recurs is %d", arch, *k.Stack)
		}
		pointers, _ := compile(t, "testdata/pointers.cu", arch, "-rdc=true")
		if k := kernels(link(t, arch, pointers))["bytable"]; len(k.Atomics) == 0 || !k.AtomicsKnown || !strings.Contains(k.Atomics[0].In, "adds") {
			t.Errorf("sm_%s: bytable has %+v, known %v %q", arch, k.Atomics, k.AtomicsKnown, k.AtomicsWhy)
		}
	}
}

// TestWhyUndecoded: of architectures whose instructions are not looked at, the reason
// is said, and all else is read.
func TestWhyUndecoded(t *testing.T) {
	for arch, want := range map[byte]string{61: "sm_61 are of another kind", 95: "instructions of sm_95", 0: "the architecture is not known"} {
		m, err := Parse(patch(fixture(t, "abi8.cubin"), 49, uint64(arch), 1))
		if err != nil || len(m.Kernels) != 1 || len(m.Unread) > 0 {
			t.Fatalf("sm_%d: %v, %+v", arch, err, m)
		}
		k := m.Kernels[0]
		if k.AtomicsKnown || !strings.Contains(k.AtomicsWhy, want) || k.Registers == nil || !k.ParamsKnown {
			t.Errorf("sm_%d: known %v, %q; registers %s", arch, k.AtomicsKnown, k.AtomicsWhy, say(k.Registers))
		}
	}
}

// TestFixedAddress takes the relocations from a call: where it goes is then not known.
func TestFixedAddress(t *testing.T) {
	path, _ := compile(t, "testdata/calls.cu", "90", "-rdc=true")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	im, err := readImage(bytes.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range im.sections {
		if s.kind == relocSum && strings.HasSuffix(s.name, ".direct") {
			at := bytes.Index(data, s.data)
			copy(data[at:], make([]byte, len(s.data)))
		}
	}
	m, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if k := kernels(m)["direct"]; k.AtomicsKnown || k.AtomicsWhy != "a call of a fixed address" {
		t.Errorf("direct: known %v, %q", k.AtomicsKnown, k.AtomicsWhy)
	}
}

// web is a cubin of so many kernels, each of which names each of so many functions, and
// of those each all others.
func web(kernels, functions int) []byte {
	le := binary.LittleEndian
	code := bytes.Repeat([]byte{0xa6, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 4)
	for i := range 4 { // four kinds of REDG.ADD
		le.PutUint64(code[16*i+8:], uint64([]int{0, 3, 12, 15}[i])<<9)
	}
	n := kernels + functions
	var b bytes.Buffer
	b.Write(make([]byte, headSize+(2*n+3)*sectionSize))
	place := func(i int, kind, info uint32, name uint32, content []byte) {
		h := b.Bytes()[headSize+i*sectionSize:]
		le.PutUint32(h, name)
		le.PutUint32(h[4:], kind)
		le.PutUint64(h[24:], uint64(b.Len()))
		le.PutUint64(h[32:], uint64(len(content)))
		le.PutUint32(h[44:], info)
		b.Write(content)
	}
	place(0, 3, 0, 0, []byte("\x00.text.k\x00"))
	table := make([]byte, (n+1)*symbolSize)
	for i := range n {
		s := table[(i+1)*symbolSize:]
		s[4] = symbolFunc
		if i < kernels {
			s[5] = otherEntry
		}
		le.PutUint16(s[6:], uint16(3+i))
	}
	place(1, sectionSymbols, 0, 0, table)
	place(2, 3, 0, 0, []byte("\x00"))
	relocations := make([]byte, functions*relSize)
	for i := range functions {
		le.PutUint64(relocations[i*relSize+8:], uint64(1+kernels+i)<<32)
	}
	for i := range n {
		place(3+i, 1, 0, 1, code)
		place(3+n+i, relocPlain, uint32(3+i), 0, relocations)
	}
	data := b.Bytes()
	copy(data, "\x7fELF\x02\x01\x01\x33\x08")
	le.PutUint16(data[18:], machineCUDA)
	le.PutUint32(data[20:], 1)
	le.PutUint64(data[40:], headSize)
	le.PutUint32(data[48:], 0x06005a04)
	le.PutUint16(data[58:], sectionSize)
	le.PutUint16(data[60:], uint16(2*n+3))
	return data
}

// TestHostileCalls: where each kernel comes to each function, memory stays within the
// file's size, and what was not followed is not known.
func TestHostileCalls(t *testing.T) {
	m, err := Parse(web(2, 3))
	if err != nil || len(m.Kernels) != 2 || len(m.Kernels[1].Atomics) != 4 || !m.Kernels[1].AtomicsKnown || m.Kernels[1].Atomics[3].Count != 4 {
		t.Fatalf("a small one: %v, %+v", err, m)
	}
	data := web(500, 300)
	if got := allocated(func() { m, err = Parse(data) }); got > allowed(len(data)) {
		t.Errorf("%d bytes allocated for a file of %d", got, len(data))
	}
	if err != nil || len(m.Kernels) != 500 || m.Kernels[499].AtomicsKnown || !strings.Contains(m.Kernels[499].AtomicsWhy, "more functions") {
		t.Errorf("a large one: %v, %d kernels", err, len(m.Kernels))
	}
	t.Logf("%d bytes, %d kernels", len(data), len(m.Kernels))
}
