package verify

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/kda"
)

// fileOf is a header with data behind it.
func fileOf(header string, data []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

func TestTensors(t *testing.T) {
	eight := []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0} // 1 and -2 in float32
	const head = `{"a":{"dtype":"F32","shape":[1,1,1,2],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[1,1,1,1],"data_offsets":[0,8]},"c":{"dtype":"I32","shape":[1,1,1,2],"data_offsets":[0,8]}}`
	file, err := parseTensors(fileOf(head, eight))
	if err != nil {
		t.Fatal(err)
	}
	two := kda.NewTensor([4]int{1, 1, 1, 2})
	if err := file.fill("a", &two); err != nil || two.Data[0] != 1 || two.Data[1] != -2 {
		t.Errorf("%v, %v", two, err)
	}
	one := kda.NewTensor([4]int{1, 1, 1, 1})
	for name, says := range map[string]string{
		"a": "the manifest's shape makes it [1 1 1 1]", "b": "", "c": `of type "I32"`, "d": `no tensor "d"`,
	} {
		if err := file.fill(name, &one); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	for _, bad := range [][]byte{nil, eight, fileOf("{", nil), fileOf("[]", nil), fileOf(head, nil)[:40]} {
		if _, err := parseTensors(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	short, err := parseTensors(fileOf(head, eight[:4]))
	if err != nil {
		t.Fatal(err)
	}
	if err := short.fill("a", &two); err == nil || !strings.Contains(err.Error(), "bytes [0 8] of 4") {
		t.Errorf("%v", err)
	}
}

// FuzzTensors: whatever the bytes, a tensor that is filled has its values from inside
// of them, at the place that the header says.
func FuzzTensors(f *testing.F) {
	f.Add(fileOf(`{"a":{"dtype":"F32","shape":[1,1,1,2],"data_offsets":[0,8]}}`, make([]byte, 8)))
	f.Add(fileOf(`{"a":{"dtype":"F64","shape":[1,1,1,2],"data_offsets":[8,24]}}`, make([]byte, 24)))
	f.Add(fileOf(`{"a":{"dtype":"F32","shape":[1,1,1,2],"data_offsets":[-8,0]}}`, nil))
	f.Add(fileOf(`{"a":{"dtype":"F32","shape":[],"data_offsets":[9223372036854775807,-1]}}`, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseTensors(data)
		if err != nil {
			return
		}
		x := kda.NewTensor([4]int{1, 1, 1, 2})
		if file.fill("a", &x) != nil {
			return
		}
		h := file.header["a"]
		if from, to := h.Offsets[0], h.Offsets[1]; from < 0 || to > len(file.data) || to-from != len(x.Data)*map[string]int{"F32": 4, "F64": 8}[h.Type] {
			t.Errorf("bytes %d to %d of %d were read as %s", from, to, len(file.data), h.Type)
		}
	})
}

const committed = "../kda/testdata/fused.json"

// TestReadFixture: the committed fixture can be read whole, and one whose file is not
// the manifest's cannot.
func TestReadFixture(t *testing.T) {
	m, file, err := readFixture(committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cases {
		if r, err := c.reference(file); err != nil || r.problem.Heads() < 4 {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	dir := t.TempDir()
	text, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(m.File, "other")
	for says, manifest := range map[string]string{
		"is not the file that it was made with": string(text),
		"names the file":                        strings.Replace(string(text), m.File, "../"+m.File, 1),
		"0 cases":                               `{"file":"` + m.File + `"}`,
		"it is no manifest":                     "no JSON",
	} {
		put("fused.json", manifest)
		if _, _, err := readFixture(filepath.Join(dir, "fused.json")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
