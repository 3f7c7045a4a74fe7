package gates

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"gpuci/gates/config"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func safetensors(head any, data []byte) []byte {
	text, _ := json.Marshal(head)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...)
}

func TestSafetensorsLayout(t *testing.T) {
	data := safetensors(map[string]any{
		"__metadata__": map[string]string{"format": "pt"},
		"w":            map[string]any{"dtype": "F32", "shape": []int{2}, "data_offsets": []int{0, 8}},
		"b":            map[string]any{"dtype": "BF16", "shape": []int{1, 2}, "data_offsets": []int{8, 12}},
	}, make([]byte, 12))
	l := layoutOf(data, int64(len(data)), "")
	if l.head != int64(len(data)-12) || len(l.arrays) != 2 {
		t.Fatalf("got %+v", l)
	}
	w, b := l.arrays[0], l.arrays[1]
	if got := w.at(l.head+4) + " " + b.at(l.head+8) + " " + b.at(l.head+10); got != "w[1] b[0,0] b[0,1]" {
		t.Errorf("got %s", got)
	}
	if n, what := l.count(); n != 4 || what != "values" {
		t.Errorf("%d %s", n, what)
	}
}

// npy is a file of NumPy's with a head of its first version.
func npy(descr, order, shape string, data []byte) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	return append(append(out, head...), data...)
}

// TestNamesOfElements: the head of a file says what its elements are, whatever is
// declared of it.
func TestNamesOfElements(t *testing.T) {
	be := func(values ...float32) (out []byte) {
		for _, v := range values {
			out = binary.BigEndian.AppendUint32(out, math.Float32bits(v))
		}
		return out
	}
	le := func(values ...float32) (out []byte) {
		for _, v := range values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		return out
	}
	ten := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	other := slices.Clone(ten)
	other[7] = 7.5
	for _, c := range []struct {
		what, element, want string
		was, is             []byte
	}{
		{"big-endian", "f32", "1 of 10 f32 values differs between runs 1 and 2, the first: element 7 (byte 97) is 7 in run 1 and 7.5 in run 2",
			npy(">f4", "False", "(10,)", be(ten...)), npy(">f4", "False", "(10,)", be(other...))},
		{"complex", "f32", "1 of 5 c64 values differs between runs 1 and 2, the first: element 3 (byte 92) is 6+7i in run 1 and 6+7.5i in run 2",
			npy("<c8", "False", "(5,)", le(ten...)), npy("<c8", "False", "(5,)", le(other...))},
		{"big-endian complex", "f32", "element 3 (byte 92) is 6+7i in run 1 and 6+7.5i in run 2",
			npy(">c8", "False", "(5,)", be(ten...)), npy(">c8", "False", "(5,)", be(other...))},
		{"in Fortran's order", "", "element [1,3]", npy("<f4", "True", "(2, 5)", le(ten...)), npy("<f4", "True", "(2, 5)", le(other...))},
		{"in C's order", "f64", "element [1,2]", npy("<f4", "False", "(2, 5)", le(ten...)), npy("<f4", "False", "(2, 5)", le(other...))},
		{"a type that is not read", "f32", "1 of 5 values differs between runs 1 and 2, the first: element 3 (byte 92) is 0x0000c0400000e040 in run 1 and 0x0000c0400000f040 in run 2",
			npy("<M8", "False", "(5,)", le(ten...)), npy("<M8", "False", "(5,)", le(other...))},
		{"a record", "f32", "1 of 40 byte values differs between runs 1 and 2, the first: element 30 ",
			npy("V99", "False", "(5,)", le(ten...)), npy("V99", "False", "(5,)", le(other...))},
		{"no file of NumPy's", "f32", "element 7 (byte 28) is 7 in", le(ten...), le(other...)},
		{"types that differ", "f32", "1 of 12 values differs between runs 1 and 2, the first: b[1,0] (byte 200) is 7 in",
			mixed(le(ten...)), mixed(le(other...))},
	} {
		u := apartIn(t, c.element, c.was, c.is)
		if u == nil || !strings.Contains(u.Text, c.want) {
			t.Errorf("%s: got %+v\nwant %s", c.what, u, c.want)
		}
	}
}

// mixed is a file of three tensors, each of another type.
func mixed(data []byte) []byte {
	return safetensors(map[string]any{
		"a": map[string]any{"dtype": "U8", "shape": []int{8}, "data_offsets": []int{0, 8}},
		"b": map[string]any{"dtype": "F32", "shape": []int{2, 1}, "data_offsets": []int{24, 32}},
		"c": map[string]any{"dtype": "F64", "shape": []int{2}, "data_offsets": []int{8, 24}},
	}, data[:32])
}

// apartIn holds what two runs wrote into a file against each other.
func apartIn(t *testing.T, element string, runs ...[]byte) *Unstable {
	t.Helper()
	dir := t.TempDir()
	c := newComparedFiles(dir, t.TempDir(), config.Repeat{Times: len(runs), Files: []string{"f"}, Elements: element})
	for run, data := range runs {
		if err := os.WriteFile(filepath.Join(dir, "f"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.after(context.Background(), run+1); err != nil {
			t.Fatal(err)
		}
	}
	r := &Repeat{}
	c.compare(r)
	if len(r.Unstable) == 0 {
		return nil
	}
	return &r.Unstable[0]
}

// TestFileText: bytes and hashes are said where nothing better is, and once.
func TestFileText(t *testing.T) {
	a, b := []byte("abcd"), []byte("abce")
	for _, c := range []struct {
		runs [][]byte
		want string
	}{
		{[][]byte{a, b}, "f: 1 of 4 byte values differs between runs 1 and 2, the first: element 3 (byte 3) is 0x64 in run 1 and 0x65 in run 2"},
		{[][]byte{a, b, a}, "is 0x64 in run 1 and 0x65 in run 2; alike are runs 1 and 3"},
		{[][]byte{a, b, []byte("abcf")}, "in run 2; no two of 3 runs wrote the same"},
		{[][]byte{a, []byte("abc"), a}, "f: 4 bytes, sha256 88d4266fd4e6 in runs 1 and 3; 3 bytes, sha256 ba7816bf8f01 in run 2"},
	} {
		if u := apartIn(t, "", c.runs...); u == nil || !strings.HasSuffix(u.Text, c.want) && !strings.HasPrefix(u.Text, c.want) {
			t.Errorf("got %+v, want %s", u, c.want)
		}
	}
	d := &comparedFiles{runs: []int{1, 2}}
	u := d.differing("f", []fileSeen{{run: 1, size: 9, sum: [32]byte{1}}, {run: 2, size: 9, sum: [32]byte{2}, odd: []int{0}}})
	if want := "f: 9 bytes; sha256 010000000000 in run 1; sha256 020000000000 in run 2; 1 of 1 block of 64 KiB differs between runs 1 and 2"; u == nil || !strings.HasPrefix(u.Text, want) {
		t.Errorf("got %+v", u)
	}
}

// TestRepeatText: a number with a spread is not said to be alike.
func TestRepeatText(t *testing.T) {
	runs := []RepeatRun{{Outcome: Green}, {Outcome: Green}}
	spread, near := 0.0338, 0.049999
	w := &Unstable{Name: "x-ms", Spread: &spread, Limit: 0.05}
	for _, c := range []struct {
		r    Repeat
		want string
	}{
		{Repeat{Values: 1, Spread: 1, Widest: w}, "2 of 2 runs green; x-ms spread 3.38% of at most 5%"},
		{Repeat{Values: 3, Spread: 2, Widest: w, Files: 1, Bytes: 1}, "2 of 2 runs green, alike in 1 value and 1 file (1 byte); x-ms spread 3.38% of at most 5%, the widest of 2 values"},
		{Repeat{Values: 1, Spread: 1, Widest: &Unstable{Name: "x-ms", Spread: &near, Limit: 0.05}}, "2 of 2 runs green; x-ms spread 4.9999% of at most 5%"},
		{Repeat{Values: 2}, "2 of 2 runs green, alike in 2 values"},
	} {
		c.r.Times, c.r.Runs = 2, runs
		if got := c.r.Text(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestGlobs: ** is any directories, none among them, also below a link; a file that
// nobody wrote is said by its glob, with where it was looked for.
func TestGlobs(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	for _, name := range []string{"out/top.bin", "out/a/b/2.bin", "out/a/x.txt", filepath.Join("..", filepath.Base(away), "l/3.bin")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(away, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for glob, want := range map[string][]string{
		"out/**/*.bin": {"out/a/b/2.bin", "out/top.bin"}, "**/top.bin": {"out/top.bin"}, "out/**": {"out/a/b/2.bin", "out/a/x.txt", "out/top.bin"},
		"link/**/*.bin": {"link/l/3.bin"}, "*/*.bin": {"out/top.bin"}, "l*/l/*.bin": {"link/l/3.bin"}, "no/**/x": nil, "out/top.bin/**": nil,
	} {
		c := newComparedFiles(dir, t.TempDir(), config.Repeat{Files: []string{glob}})
		got, none, err := c.glob()
		if d := cmp.Diff(want, got); d != "" || err != nil || (len(none) == 1) != (want == nil) {
			t.Errorf("%s: %s, %v, %q", glob, d, err, none)
		}
		if err := c.after(context.Background(), 1); want == nil && (err == nil || !strings.Contains(err.Error(), "from the directory of gpuci.toml")) {
			t.Errorf("%s: %v", glob, err)
		}
	}
}

// FuzzElements: as many elements differ as a plain comparison counts, and the first is
// that one, wherever blocks begin and end.
func FuzzElements(f *testing.F) {
	f.Add(uint16(3), uint32(70_000), uint32(65_530), "f64")
	f.Add(uint16(0), uint32(200_000), uint32(131_071), "")
	f.Fuzz(func(t *testing.T, shift uint16, n, at uint32, element string) {
		n = n%300_000 + 1
		dir := t.TempDir()
		a, b := make([]byte, n), make([]byte, n)
		for i := at % n; i < n; i += uint32(shift)*7 + 1 {
			b[i] ^= 1
		}
		size := config.ElementTypes()[element]
		if size == 0 {
			element, size = "", 1
		}
		if int(n)%size != 0 {
			size = 1
		}
		want, first := 0, -1
		for i := 0; i < int(n); i += size {
			if string(a[i:i+size]) != string(b[i:i+size]) {
				if want++; first < 0 {
					first = i
				}
			}
		}
		c := newComparedFiles(dir, t.TempDir(), config.Repeat{Times: 2, Files: []string{"f"}, Elements: element})
		for run, data := range [][]byte{a, b} {
			if err := os.WriteFile(filepath.Join(dir, "f"), data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.after(context.Background(), run+1); err != nil {
				t.Fatal(err)
			}
		}
		r := &Repeat{}
		c.compare(r)
		if len(r.Unstable) != 1 || r.Unstable[0].Differ != want || !strings.Contains(r.Unstable[0].Text, fmt.Sprintf("(byte %d)", first)) {
			t.Fatalf("%d elements of %s differ, the first at %d; got %+v", want, element, first, r.Unstable)
		}
	})
}

// FuzzLayout: the elements of any file lie in it, and each has a name.
func FuzzLayout(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 0), }            \n12345678"), "f32")
	f.Add(safetensors(map[string]any{"w": map[string]any{"dtype": "BF16", "data_offsets": []int{-9, 1 << 40}}}, []byte("abcd")), "")
	f.Add([]byte("plain"), "u8")
	f.Add(npy(">c8", "True", "(1, 1)", make([]byte, 8)), "f32")
	f.Add(npy("<U1", "False", "(2,)", make([]byte, 8)), "")
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		if config.ElementTypes()[declared] == 0 {
			declared = ""
		}
		whole := int64(len(data))
		l := layoutOf(data, whole, declared)
		if l.head > whole || len(l.arrays) == 0 || !l.fills(whole) {
			t.Fatalf("%d bytes are not %+v", whole, l)
		}
		for _, a := range l.arrays {
			for at := a.from; at < min(a.to, a.from+64*a.size); at += a.size {
				if a.at(at) == "" || a.text(data[at:at+a.size]) == "" {
					t.Fatalf("the element at %d has no name or no text", at)
				}
			}
		}
	})
}
