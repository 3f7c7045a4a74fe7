package kda

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// fixtureFile holds the reference values of some cases, for whoever has another
// implementation and not this one: of each the output, the final state and the seven
// gradients, float64, as a safetensors file.
const fixtureFile = "testdata/reference.safetensors"

// fixtureCases are small, and between them have a tail, a state, and all gates.
func fixtureCases() []string { return []string{"one-row", "tail", "gdn"} }

// fixtureTensor is one of the file.
type fixtureTensor struct {
	Type    string `json:"dtype"`
	Shape   [4]int `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// TestWriteFixture is the generator of the file: `gpuci fixtures verify` runs it, and
// by hand GPUCI_FIXTURE_OUT names the directory that kernels is in. Otherwise it
// writes to nowhere that lasts. The values are those of the sequential form and its
// forward derivatives; before any is written, the chunk form and its hand-derived
// adjoint, which are independent of these, must agree.
func TestWriteFixture(t *testing.T) {
	var file fixtureWriter
	for _, name := range fixtureCases() {
		p := must(caseNamed(t, name).Problem())(t)
		out, grad := must(Sequential(p))(t), must(Gradient(context.Background(), p))(t)
		agree(t, name, p, out, grad)
		for _, term := range referenceTerms(out, grad) {
			file.add(name+"/"+term.Name, *term.Tensor)
		}
	}
	root := os.Getenv("GPUCI_FIXTURE_OUT")
	path := filepath.Join(root, "kernels/kda", fixtureFile)
	if root == "" {
		path = filepath.Join(t.TempDir(), filepath.Base(fixtureFile))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, must(file.bytes())(t), 0o644); err != nil {
		t.Fatal(err)
	}
}

// agree ends the test where the two forms do not.
func agree(t *testing.T, name string, p *Problem, out *Output, grad *Leaves) {
	t.Helper()
	f := must(ChunkForward(p))(t)
	b := must(ChunkBackward(p, f))(t)
	compared := 0
	for bar, reports := range map[float64][]Report{
		fwdBar: must(CompareOutput(&f.Output, out))(t),
		adBar:  must(CompareGradients(p, &b.Grad, grad))(t),
	} {
		for _, r := range reports {
			compared += r.Compared
			if !r.Within(bar) {
				t.Fatalf("refused: %s is no reference, for the two forms disagree: %v, more than %g; nothing is written", name, r, bar)
			}
		}
	}
	if compared == 0 {
		t.Fatalf("refused: nothing of %s was compared", name)
	}
}

func referenceTerms(out *Output, grad *Leaves) []Term {
	terms := []Term{{"out", &out.Out}, {"final", &out.Final}}
	for _, term := range grad.Terms() {
		terms = append(terms, Term{"d_" + term.Name, term.Tensor})
	}
	return terms
}

// fixtureWriter puts a safetensors file together.
type fixtureWriter struct {
	header map[string]fixtureTensor
	data   bytes.Buffer
}

func (w *fixtureWriter) add(name string, x Tensor) {
	if w.header == nil {
		w.header = make(map[string]fixtureTensor)
	}
	from := w.data.Len()
	for _, v := range x.Data {
		_ = binary.Write(&w.data, binary.LittleEndian, v) // a buffer takes all
	}
	w.header[name] = fixtureTensor{"F64", x.Dims, [2]int{from, w.data.Len()}}
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

// TestFixture holds the chunk form and its adjoint against the committed values. The
// bar leaves room for another processor's fused multiplications.
func TestFixture(t *testing.T) {
	data := must(os.ReadFile(fixtureFile))(t)
	length := int(binary.LittleEndian.Uint64(data))
	var header map[string]fixtureTensor
	if err := json.Unmarshal(data[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range fixtureCases() {
		p := must(caseNamed(t, name).Problem())(t)
		f := must(ChunkForward(p))(t)
		b := must(ChunkBackward(p, f))(t)
		for _, term := range referenceTerms(&f.Output, &b.Grad) {
			want := fixtureValues(t, data[8+length:], header, name+"/"+term.Name)
			r := must(Compare(term.Name, *term.Tensor, want, 1))(t)
			if compared++; !r.Within(adBar) {
				t.Errorf("%s: %v", name, r)
			}
		}
	}
	if compared != len(header) || compared != 9*len(fixtureCases()) {
		t.Errorf("%d tensors were compared of %d", compared, len(header))
	}
	fmt.Printf("kda-fixture compared=%d/%d\n", compared, len(header))
}

func fixtureValues(t *testing.T, data []byte, header map[string]fixtureTensor, name string) Tensor {
	t.Helper()
	h, ok := header[name]
	if !ok {
		t.Fatalf("%s has no %s", fixtureFile, name)
	}
	x := NewTensor(h.Shape)
	if h.Offsets[1]-h.Offsets[0] != 8*len(x.Data) {
		t.Fatalf("%s: %v takes other than %v bytes", name, h.Shape, h.Offsets)
	}
	for i := range x.Data {
		x.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[h.Offsets[0]+8*i:]))
	}
	return x
}
