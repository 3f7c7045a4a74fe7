package inspect

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gpuci/kernels/entry"
)

// element is one of a made-up fat binary.
type element struct {
	kind, arch int
	flags      uint64
	payload    []byte
	unpacked   uint64
}

// packed is a fat binary of elements.
func packed(t testing.TB, elements ...element) []byte {
	t.Helper()
	le := binary.LittleEndian
	var body bytes.Buffer
	for _, e := range elements {
		head := make([]byte, elementHead)
		le.PutUint16(head, uint16(e.kind))
		le.PutUint32(head[4:], elementHead)
		le.PutUint64(head[8:], uint64(len(e.payload)+7)&^7)
		le.PutUint32(head[16:], uint32(len(e.payload)))
		le.PutUint32(head[28:], uint32(e.arch))
		le.PutUint64(head[40:], e.flags)
		le.PutUint64(head[56:], e.unpacked)
		body.Write(head)
		body.Write(e.payload)
		body.Write(make([]byte, -len(e.payload)&7))
	}
	head := make([]byte, fatbinHead)
	le.PutUint32(head, magicFatbin)
	le.PutUint16(head[4:], 1)
	le.PutUint16(head[6:], fatbinHead)
	le.PutUint64(head[8:], uint64(body.Len()))
	return append(head, body.Bytes()...)
}

func squeeze(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// read goes through a fat binary in memory.
func read(data []byte, o Options) ([]*entry.Module, error) {
	r := newReader(context.Background(), "fatbin", o)
	err := r.fatbins(io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))), "")
	r.working.Wait()
	return r.modules, err
}

const text = ".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 p) { ret; }\n"

// TestElements: what cannot be read is a module that says so, and the rest is read.
func TestElements(t *testing.T) {
	good := squeeze(t, []byte(text))
	bad := bytes.Clone(good)
	bad[len(bad)/2] ^= 0xff
	data := packed(t,
		element{kindPTX, 80, flagZstd, good, uint64(len(text))},
		element{kindPTX, 80, flagZstd, bad, uint64(len(text))},
		element{kindPTX, 80, flagZstd, good, uint64(len(text)) - 1},
		element{kindPTX, 80, flagZstd, good, 1 << 50},
		element{kindPTX, 80, flagLZ4, good, uint64(len(text))},
		element{kindLTO, 90, 0, []byte("LTO"), 0},
		element{99, 90, 0, []byte("?"), 0},
		element{kindCubin, 90, 0, []byte("\x7fELF no cubin"), 0},
		element{kindPTX, 80, 0, []byte(text + "\x00\x00"), 0},
	)
	modules, err := read(append(append(data, make([]byte, 24)...), packed(t, element{kindPTX, 80, 0, []byte(text), 0})...), Options{})
	if err != nil || len(modules) != 10 {
		t.Fatalf("%d modules, %v", len(modules), err)
	}
	for i, want := range []string{
		"", "unpack", "unpack", "not believed", "unpack", "link-time optimisation", "not known here", "not PTX", "", "",
	} {
		m := modules[i]
		got := strings.Join(m.Unread, "; ")
		if want == "" && (len(m.Kernels) != 1 || got != "") || want != "" && (len(m.Kernels) != 0 || !strings.Contains(got, want)) {
			t.Errorf("element %d: %d kernels, unread %q, want %q", i+1, len(m.Kernels), got, want)
		}
	}
	if got := modules[5].Part; got != "6.sm_90.ltoir" {
		t.Errorf("part %q", got)
	}
}

// TestHostileSizes: headers that claim more than there is cost no memory for it.
func TestHostileSizes(t *testing.T) {
	zeros := squeeze(t, make([]byte, 64<<20))
	short := packed(t, element{kind: 99})
	for name, data := range map[string][]byte{
		"a bomb that says so":   packed(t, element{kindPTX, 80, flagZstd, zeros, 64 << 20}),
		"a bomb that does not":  packed(t, element{kindPTX, 80, flagZstd, zeros, 1000}),
		"a size out of reason":  packed(t, element{kindPTX, 80, flagZstd, zeros, 1 << 62}),
		"LZ4 out of reason":     packed(t, element{kindPTX, 80, flagLZ4, zeros, 1 << 30}),
		"many empty headers":    bytes.Repeat(packed(t), 1<<16),
		"many strange elements": bytes.Repeat(short, 1<<14),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		modules, err := read(data, Options{})
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 24*uint64(len(data))+24<<20 {
			t.Errorf("%s: %d bytes allocated for %d", name, got, len(data))
		}
		t.Logf("%s: %d bytes, %d modules, %d allocated, %v", name, len(data), len(modules), after.TotalAlloc-before.TotalAlloc, err)
	}
}

func FuzzFatbin(f *testing.F) {
	cubin, err := os.ReadFile("../cubin/testdata/abi7.cubin")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed(f, element{kindCubin, 80, 0, cubin, 0}, element{kindPTX, 80, flagZstd, squeeze(f, []byte(text)), uint64(len(text))}))
	f.Add(packed(f, element{kindPTX, 80, flagLZ4, []byte("\x10a"), 1}, element{kindLTO, 90, 0, nil, 0}))
	f.Add(append(packed(f), make([]byte, 16)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 20
		modules, err := read(data, Options{MaxBytes: most, Jobs: 1})
		if len(modules) > len(data)/elementHead {
			t.Fatalf("%d modules in %d bytes", len(modules), len(data))
		}
		for _, m := range modules {
			if err == nil && (m.File == "" || m.Part == "" || m.Kind == "" || m.Arch == "" && len(m.Unread) == 0) {
				t.Fatalf("a module that says nothing: %+v", m)
			}
		}
	})
}
