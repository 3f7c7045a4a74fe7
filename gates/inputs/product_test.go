package inputs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ids that a real linker and the Go toolchain put in.
func TestExamine(t *testing.T) {
	needs(t, "gcc")
	r := repo{t, t.TempDir()}
	r.write("a.c", "int main(void) { return 0; }\n")
	r.run("gcc", "-Wl,--build-id=0x0123456789abcdef", "-o", "a", "a.c")
	r.run("gcc", "-Wl,--build-id=none", "-o", "none", "a.c")
	bare, err := os.ReadFile(r.path("a"))
	r.check(err)
	clear(bare[0x28:0x30]) // where the section headers are, and how many (elf(5))
	clear(bare[0x3c:0x40])
	r.write("bare", string(bare))
	r.write("text", "no program\n")
	for path, id := range map[string]string{"a": "0123456789abcdef", "bare": "0123456789abcdef", "none": "", "text": ""} {
		data, err := os.ReadFile(r.path(path))
		r.check(err)
		info, err := os.Stat(r.path(path))
		r.check(err)
		sum := sha256.Sum256(data)
		want := Product{r.path(path), hex.EncodeToString(sum[:]), id, int64(len(data)), info.ModTime()}
		got, err := Examine(t.Context(), r.path(path))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", path, err, diff)
		}
	}
	self, err := os.Executable()
	r.check(err)
	if p, err := Examine(t.Context(), self); err != nil || !strings.Contains(p.BuildID, "/") && len(p.BuildID) < 16 {
		t.Errorf("a Go program: %+v, %v", p, err)
	}
}

func TestExamineNoFile(t *testing.T) {
	r := repo{t, t.TempDir()}
	r.check(syscall.Mkfifo(r.path("pipe"), 0o644))
	for path, want := range map[string]error{"": ErrNoFile, "pipe": ErrNoFile, "nowhere": fs.ErrNotExist} {
		if _, err := Examine(t.Context(), r.path(path)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
	r.write("file", "text")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, r.path("file")); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// Notes come back as they were written, whatever follows them.
func FuzzNotes(f *testing.F) {
	f.Add("GNU", uint32(3), []byte{1, 2, 3}, []byte{})
	f.Add("", uint32(0), []byte{}, []byte("\xff\xff\xff\xff\xff\xff\xff\xff1234name"))
	f.Fuzz(func(t *testing.T, name string, kind uint32, desc, junk []byte) {
		if strings.HasSuffix(name, "\x00") {
			return
		}
		data := binary.LittleEndian.AppendUint32(nil, uint32(len(name)+1))
		data = binary.LittleEndian.AppendUint32(data, uint32(len(desc)))
		data = binary.LittleEndian.AppendUint32(data, kind)
		for _, part := range []string{name + "\x00", string(desc)} {
			data = append(data, part...)
			data = append(data, make([]byte, (4-len(data)%4)%4)...)
		}
		notes := parseNotes(append(data, junk...), binary.LittleEndian)
		if len(notes) == 0 || notes[0].name != name || notes[0].kind != kind || string(notes[0].desc) != string(desc) {
			t.Fatalf("%+v from %q", notes, data)
		}
	})
}
