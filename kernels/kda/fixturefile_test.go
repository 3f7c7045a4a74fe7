package kda

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// fixtureTensor is one of a safetensors file.
type fixtureTensor struct {
	Type    string `json:"dtype"`
	Shape   [4]int `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// fixtureWriter puts a safetensors file together.
type fixtureWriter struct {
	header map[string]fixtureTensor
	data   bytes.Buffer
}

func (w *fixtureWriter) add(name string, x Tensor) { addAs(w, "F64", name, x.Dims, x.Data) }

// addRounded adds a tensor of numbers that float32 has.
func (w *fixtureWriter) addRounded(name string, x Tensor) {
	short := make([]float32, len(x.Data))
	for i, v := range x.Data {
		short[i] = float32(v)
	}
	addAs(w, "F32", name, x.Dims, short)
}

func addAs[N float32 | float64](w *fixtureWriter, dtype, name string, dims [4]int, data []N) {
	if w.header == nil {
		w.header = make(map[string]fixtureTensor)
	}
	from := w.data.Len()
	_ = binary.Write(&w.data, binary.LittleEndian, data) // a buffer takes all
	w.header[name] = fixtureTensor{dtype, dims, [2]int{from, w.data.Len()}}
}

// bytes is the whole file; the data begins at a multiple of eight.
func (w *fixtureWriter) bytes() ([]byte, error) {
	header, err := json.Marshal(w.header)
	if err != nil {
		return nil, err
	}
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), w.data.Bytes()...), nil
}

// writeFixture writes a file of this package where `gpuci fixtures verify` asks for it,
// or by hand below the directory GPUCI_FIXTURE_OUT; otherwise to nowhere that lasts.
func writeFixture(t *testing.T, file string, data []byte) {
	t.Helper()
	path := filepath.Join(os.Getenv("GPUCI_FIXTURE_OUT"), "kernels/kda", file)
	if os.Getenv("GPUCI_FIXTURE_OUT") == "" {
		path = filepath.Join(t.TempDir(), filepath.Base(file))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fixtureReader is a safetensors file that was read.
type fixtureReader struct {
	name   string
	header map[string]fixtureTensor
	data   []byte
}

func readFixture(t *testing.T, file string) *fixtureReader {
	t.Helper()
	data := must(os.ReadFile(file))(t)
	length := int(binary.LittleEndian.Uint64(data))
	r := &fixtureReader{name: file, data: data[8+length:]}
	if err := json.Unmarshal(data[8:8+length], &r.header); err != nil {
		t.Fatal(err)
	}
	return r
}

// values are the numbers of one tensor.
func (r *fixtureReader) values(t *testing.T, name string) Tensor {
	t.Helper()
	h, ok := r.header[name]
	if !ok {
		t.Fatalf("%s has no %s", r.name, name)
	}
	x := NewTensor(h.Shape)
	size := map[string]int{"F32": 4, "F64": 8}[h.Type]
	if size == 0 || h.Offsets[1]-h.Offsets[0] != size*len(x.Data) {
		t.Fatalf("%s: %s %v takes other than %v bytes", r.name, h.Type, h.Shape, h.Offsets)
	}
	for i := range x.Data {
		at := r.data[h.Offsets[0]+size*i:]
		if size == 4 {
			x.Data[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
		} else {
			x.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(at))
		}
	}
	return x
}
