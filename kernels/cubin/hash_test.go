package cubin

import (
	"bytes"
	"testing"
)

// TestHash: every byte of the instructions counts, and none of the notes of who made it.
func TestHash(t *testing.T) {
	for _, name := range []string{"abi7.cubin", "abi8.cubin"} {
		data := fixture(t, name)
		im, err := readImage(data)
		if err != nil {
			t.Fatal(err)
		}
		hashes := func(data []byte) (code, shared string) {
			t.Helper()
			m, err := Parse(data)
			if err != nil || len(m.Kernels) != 1 {
				t.Fatalf("%s: %v, %d kernels", name, err, len(m.Kernels))
			}
			return m.Kernels[0].CodeHash, m.DataHash
		}
		code, shared := hashes(data)
		if len(code) != 32 || len(shared) != 32 {
			t.Fatalf("%s: %q, %q", name, code, shared)
		}
		changed := func(s section, at int) []byte {
			all := bytes.Clone(data)
			all[bytes.Index(all, s.data)+at] ^= 0x40
			return all
		}
		for _, s := range im.sections {
			switch {
			case s.code():
				for at := 0; at < len(s.data); at += 7 {
					if got, _ := hashes(changed(s, at)); got == code {
						t.Errorf("%s: another byte %d of the instructions changes nothing", name, at)
					}
				}
			case s.name == ".debug_frame" || s.name == noteTool:
				if c, d := hashes(changed(s, len(s.data)-1)); c != code || d != shared {
					t.Errorf("%s: the section %s changes what runs", name, s.name)
				}
			}
		}
	}
}
