package cubin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestParse reads one cubin of each layout of the header, as CUDA 12.9 and 13.0
// left them.
func TestParse(t *testing.T) {
	n := func(i int) *int { return &i }
	for name, want := range map[string]entry.Module{
		"abi7.cubin": {Kind: "cubin", Arch: "sm_80", Toolkit: "12.9", Kernels: []entry.Kernel{{
			Name: "k", Params: []entry.Param{{Size: 8}, {Ordinal: 1, Offset: 8, Size: 60}}, ParamsKnown: true, ParamBytes: n(68),
			Registers: n(8), Stack: n(0), Shared: n(0), Barriers: n(0), Code: n(256),
			Atomics: []entry.Atomic{{Op: "RED.ADD.F32", Count: 1, At: 0x50}}, AtomicsKnown: true,
		}}},
		"abi8.cubin": {
			Kind: "cubin", Arch: "sm_100a", Toolkit: "13.0", Tool: "ptxas V13.0.88 (cuda_13.0.r13.0/compiler.36424714_0)", Flags: "-arch sm_100a -m 64",
			Kernels: []entry.Kernel{{
				Name: "k", Params: []entry.Param{{Size: 8}}, ParamsKnown: true, ParamBytes: n(8),
				Registers: n(8), Stack: n(0), Shared: n(0), Barriers: n(0), Code: n(256), AtomicsKnown: true,
			}},
		},
	} {
		got, err := Parse(fixture(t, name))
		got.DataHash, got.Kernels[0].CodeHash = "", "" // TestHash has them
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
}

// TestParseWithoutParameters takes the records away: what is left is a block of 68
// bytes that nobody can divide.
func TestParseWithoutParameters(t *testing.T) {
	data := bytes.Clone(fixture(t, "abi7.cubin"))
	record := []byte{4, attrParam, 12, 0}
	taken := 0
	for at := bytes.Index(data, record); at >= 0; at = bytes.Index(data, record) {
		data[at+1] = 0x7f
		taken++
	}
	m, err := Parse(data)
	if err != nil || taken != 2 {
		t.Fatalf("%v, %d records", err, taken)
	}
	if k := m.Kernels[0]; k.ParamsKnown || k.ParamBytes == nil || *k.ParamBytes != 68 {
		t.Errorf("parameters %v, known %v, bytes %s", k.Params, k.ParamsKnown, say(k.ParamBytes))
	}
}

func TestParseErrors(t *testing.T) {
	whole := fixture(t, "abi8.cubin")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "not a cubin"},
		"text":            {[]byte(".version 8.0\n.target sm_80\n"), "not a cubin"},
		"another machine": {patch(whole, 18, 62, 2), "not a cubin"},
		"cut in half":     {whole[:len(whole)/2], "truncated"},
		"a header's part": {whole[:40], "truncated: it has 40 bytes"},
		"many sections":   {patch(whole, 60, 0xfff0, 2), "do not fit"},
		"far away":        {patch(whole, 40, 1<<62, 8), "truncated"},
		"one for all":     {overlapping(), "sections come to more than"},
		"odd headers":     {patch(whole, 58, 63, 2), "section headers of 63 bytes"},
	} {
		_, err := Parse(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if errors.Is(err, ErrFormat) != (c.want == "not a cubin") {
			t.Errorf("%s: %v wraps ErrFormat or not", name, err)
		}
	}
	m, err := Parse(patch(whole, 8, 9, 1))
	if err != nil || m.Arch != "" || len(m.Unread) == 0 || m.Kernels[0].AtomicsKnown || m.Kernels[0].Shared != nil {
		t.Errorf("ABI 9: %v, %+v", err, m)
	}
}

// overlapping is a file of which a thousand sections of instructions are each the
// whole.
func overlapping() []byte {
	const n = 1000
	data := make([]byte, headSize+n*sectionSize)
	copy(data, made(1, func(int) (uint32, byte, uint16) { return 0, 0, 0 }, nil, nil)[:headSize])
	binary.LittleEndian.PutUint16(data[60:], n)
	for i := range n {
		h := data[headSize+i*sectionSize:]
		binary.LittleEndian.PutUint32(h[4:], 1)
		binary.LittleEndian.PutUint64(h[32:], uint64(len(data)))
	}
	return data
}

// TestSize: what follows a cubin is not part of it.
func TestSize(t *testing.T) {
	for _, name := range []string{"abi7.cubin", "abi8.cubin"} {
		whole := fixture(t, name)
		for _, data := range [][]byte{whole, append(bytes.Clone(whole), "what follows"...)} {
			if got := Size(data); got != uint64(len(whole)) {
				t.Errorf("%s: %d bytes, not %d", name, got, len(whole))
			}
		}
		for _, at := range []int{32, 40, 56, 60} {
			if got := Size(patch(whole, at, 1<<62+1<<15, 8)); got < headSize {
				t.Errorf("%s, with a number at %d: %d bytes", name, at, got)
			}
		}
	}
}

// patch is data with one number of its header replaced.
func patch(data []byte, at int, value uint64, size int) []byte {
	data = bytes.Clone(data)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], value)
	copy(data[at:at+size], b[:])
	return data
}

// allowed is how many bytes may be allocated for a file of that size.
func allowed(size int) uint64 { return 24*uint64(size) + 1<<20 }

// allocated is what a call allocates in all, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileSizes makes files whose every part claims as much as it can: names
// that overlap, kernels that share one section, records as short as they come.
func TestHostileSizes(t *testing.T) {
	for name, data := range map[string][]byte{
		"overlapping names": made(1<<16, func(i int) (uint32, byte, uint16) { return uint32(i % 64), 0x10, 3 }, bytes.Repeat([]byte("n"), 1<<20), nil),
		"one section":       made(1<<15, func(i int) (uint32, byte, uint16) { return 1 << 10, 0x10, 3 }, make([]byte, 1<<11), bytes.Repeat([]byte{0x8b, 0x71, 0, 0}, 1<<18)),
		"short records":     made(1, func(int) (uint32, byte, uint16) { return 0, 0x10, 3 }, []byte("k\x00"), bytes.Repeat([]byte{1, attrParam, 0, 0}, 1<<18)),
		"many parameters":   made(1, func(int) (uint32, byte, uint16) { return 0, 0x10, 3 }, []byte("k\x00"), bytes.Repeat([]byte{4, attrParam, 12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, 1<<16)),
		"many notes":        made(1, func(int) (uint32, byte, uint16) { return 0, 0x10, 3 }, []byte("k\x00"), bytes.Repeat([]byte("\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00NVIDIA Corp\x00"), 1<<16)),
	} {
		var m entry.Module
		var err error
		if got := allocated(func() { m, err = Parse(data) }); got > allowed(len(data)) {
			t.Errorf("%s: %d bytes allocated for a file of %d", name, got, len(data))
		}
		t.Logf("%s: %d bytes, %d kernels, %v", name, len(data), len(m.Kernels), err)
	}
}

// made is a cubin of so many symbols. Its sections are the names of sections, the
// symbols, the strings, and body four times over: as instructions, as attributes
// of the kernel k, as those of all, as notes.
func made(symbols int, symbol func(i int) (name uint32, other byte, section uint16), names, body []byte) []byte {
	const sections = 7
	le := binary.LittleEndian
	titles := []byte("\x00.symtab\x00.strtab\x00.text.k\x00.nv.info.k\x00.nv.info\x00.note.nv.tkinfo\x00")
	title := func(s string) uint32 { return uint32(bytes.Index(titles, []byte(s+"\x00"))) }
	var b bytes.Buffer
	b.Write(make([]byte, headSize+sections*sectionSize))
	place := func(i int, name uint32, kind uint32, content []byte) {
		h := b.Bytes()[headSize+i*sectionSize:]
		le.PutUint32(h, name)
		le.PutUint32(h[4:], kind)
		le.PutUint64(h[24:], uint64(b.Len()))
		le.PutUint64(h[32:], uint64(len(content)))
		b.Write(content)
	}
	table := make([]byte, symbols*symbolSize)
	for i := range symbols {
		s := table[i*symbolSize:]
		name, other, section := symbol(i)
		le.PutUint32(s, name)
		s[4], s[5] = symbolFunc, other
		le.PutUint16(s[6:], section)
	}
	place(0, 0, 3, titles)
	place(1, title(".symtab"), sectionSymbols, table)
	place(2, title(".strtab"), 3, names)
	place(3, title(".text.k"), 1, body)
	place(4, title(".nv.info.k"), 0x70000000, body)
	place(5, title(".nv.info"), 0x70000000, body)
	place(6, title(".note.nv.tkinfo"), 7, body)
	data := b.Bytes()
	copy(data, "\x7fELF\x02\x01\x01\x33\x08")
	le.PutUint16(data[18:], machineCUDA)
	le.PutUint32(data[20:], 1)
	le.PutUint64(data[40:], headSize)
	le.PutUint32(data[48:], 0x06005a04)
	le.PutUint16(data[58:], sectionSize)
	le.PutUint16(data[60:], sections)
	return data
}

func FuzzParse(f *testing.F) {
	f.Add(fixture(f, "abi7.cubin"))
	f.Add(fixture(f, "abi8.cubin"))
	f.Add(made(4, func(i int) (uint32, byte, uint16) { return 0, 0x10, uint16(i) }, []byte("k\x00"), []byte{4, attrParam, 12, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0, 0, 4, 0}))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil && Is(data) == errors.Is(err, ErrFormat) {
			t.Fatalf("a cubin or none: %v", err)
		}
		for _, k := range m.Kernels {
			holdKernel(t, k, len(data))
		}
	})
}

// holdKernel checks what is true of every kernel whatever the file says.
func holdKernel(t *testing.T, k entry.Kernel, size int) {
	t.Helper()
	end := 0
	for i, p := range k.Params {
		if p.Ordinal != i || p.Offset < end || p.Size < 0 {
			t.Fatalf("%s: parameters %v", k.Name, k.Params)
		}
		end = p.Offset + p.Size
	}
	if k.ParamBytes != nil && k.ParamsKnown && end > *k.ParamBytes {
		t.Fatalf("%s: parameters end at %d of %d", k.Name, end, *k.ParamBytes)
	}
	for _, a := range k.Atomics {
		if a.Count < 1 || a.At < 0 || a.At >= size {
			t.Fatalf("%s: %v", k.Name, a)
		}
	}
	if k.Shared != nil && *k.Shared < 0 || k.Code != nil && *k.Code < 0 {
		t.Fatalf("%s: shared %s, code %s", k.Name, say(k.Shared), say(k.Code))
	}
}
