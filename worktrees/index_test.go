package worktrees

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// Every version names the same files with the same object ids as git does.
func TestParseIndexVersions(t *testing.T) {
	r := newRepo(t)
	r.write("long/"+strings.Repeat("d/", 1000)+strings.Repeat("n", 200), "a name of more than 4095 bytes does not fit Linux, but long ones do\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "long")
	for _, version := range []string{"2", "3", "4"} {
		r.git("update-index", "--index-version", version)
		x, err := readIndex(r.lane().GitDir)
		if err != nil {
			t.Fatalf("version %s: %v", version, err)
		}
		var names []string
		for _, e := range x.entries {
			names = append(names, string(e.path))
		}
		if diff := cmp.Diff(splitNUL([]byte(r.git("ls-files", "-z"))), names); diff != "" {
			t.Errorf("version %s: %s", version, diff)
		}
		if want := strings.TrimSpace(r.git("rev-parse", "HEAD^{tree}")); x.tree != want {
			t.Errorf("version %s: tree %q, want %q", version, x.tree, want)
		}
	}
}

func TestParseIndexRefuses(t *testing.T) {
	r := newRepo(t)
	data, err := os.ReadFile(r.path(".git/index"))
	r.check(err)
	with := func(change func(d []byte) []byte) []byte { return change(bytes.Clone(data)) }
	for name, broken := range map[string][]byte{
		"empty":     {},
		"signature": with(func(d []byte) []byte { d[0] = 'X'; return d }),
		"version 5": with(func(d []byte) []byte { d[7] = 5; return d }),
		"count":     with(func(d []byte) []byte { binary.BigEndian.PutUint32(d[8:], 1<<31); return d }),
		"half":      data[:len(data)/2],
		"order":     with(func(d []byte) []byte { d[indexHeader+entryFixed] = 'z'; return d }),
		"mandatory": with(func(d []byte) []byte {
			return append(append(d[:len(d)-indexTrailer], "zzzz\x00\x00\x00\x00"...), make([]byte, indexTrailer)...)
		}),
	} {
		if _, err := parseIndex(broken); !errors.Is(err, errIndex) {
			t.Errorf("%s: %v, want errIndex", name, err)
		}
	}
}

// A version 4 index can claim paths far longer than itself: each entry a byte
// more than the one before.
func TestParseIndexExpansion(t *testing.T) {
	data := []byte("DIRC\x00\x00\x00\x04\x00\x00\x0f\x00")
	for range 0x0f00 {
		data = append(data, make([]byte, entryFixed)...)
		data = append(data, 0, 'a', 0)
	}
	data = append(data, make([]byte, indexTrailer)...)
	if _, err := parseIndex(data); !errors.Is(err, errIndex) {
		t.Errorf("parseIndex = %v, want errIndex", err)
	}
}

func FuzzParseIndex(f *testing.F) {
	r := newRepo(f)
	for _, version := range []string{"2", "4"} {
		r.git("update-index", "--index-version", version)
		data, err := os.ReadFile(r.path(".git/index"))
		r.check(err)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	r.git("update-index", "--skip-worktree", "README")
	r.git("update-index", "--split-index")
	data, err := os.ReadFile(r.path(".git/index"))
	r.check(err)
	f.Add(data)
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00TREE\x00\x00\x00\x00" + strings.Repeat("\x00", indexTrailer)))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parseIndex(data)
		if err != nil {
			if !errors.Is(err, errIndex) {
				t.Fatal(err)
			}
			return
		}
		size := cap(x.entries) * int(unsafe.Sizeof(entry{}))
		for i, e := range x.entries {
			size += len(e.path)
			if len(e.path) == 0 || len(e.path) > maxPath || (i > 0 && bytes.Compare(x.entries[i-1].path, e.path) > 0) {
				t.Fatalf("entry %d: %q", i, e.path)
			}
		}
		if size > 6*len(data) {
			t.Fatalf("%d bytes made of %d", size, len(data))
		}
	})
}
