package kda

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// The file that the fused kernels are held against beside the oracle itself: inputs in
// float32, as a kernel reads them, and the reference on just these inputs in float64.
// The manifest says what each case is, and which bytes it speaks of.
const (
	fusedFile     = "testdata/fused.safetensors"
	fusedManifest = "testdata/fused.json"
)

// fusedVersion is that of the generator: it goes up with every change that is meant to
// change the values.
const fusedVersion = 1

// manifest is what stands in the file of that name.
type manifest struct {
	Generator string         `json:"generator"`
	Version   int            `json:"version"`
	File      string         `json:"file"`   // beside the manifest
	SHA256    string         `json:"sha256"` // of the whole file
	Cases     []manifestCase `json:"cases"`
}

type manifestCase struct {
	Name    string  `json:"name"`
	Family  Family  `json:"family"`
	Gates   Gates   `json:"gates,omitempty"`
	Seed    string  `json:"seed"`  // hexadecimal: it has more digits than a float64 holds
	Scale   float64 `json:"scale"` // factor on q, which float32 has
	B       int     `json:"B"`
	H       int     `json:"H"`
	T       int     `json:"T"`
	K       int     `json:"K"`
	V       int     `json:"V"`
	C       int     `json:"C"`
	ZeroKey bool    `json:"zero-key,omitempty"`
}

// fusedCases have each family, the scalar gates, a zero key, K below and above V, and
// two or three chunks with a tail. Each has two batches and heads, a state and a
// gradient of the final one.
func fusedCases() []Case {
	short := Shape{B: 2, H: 2, T: 21, K: 12, V: 8, C: 16}
	cases := []Case{
		{Name: "mild", Family: Mild, Shape: Shape{B: 2, H: 2, T: 35, K: 12, V: 8, C: 16}},
		{Name: "moderate-kda", Family: Moderate, Gates: KDA, Shape: short, ZeroKey: true},
		{Name: "strong", Family: Strong, Shape: short},
		{Name: "very-strong", Family: VeryStrong, Shape: short},
		{Name: "mild-gdn", Family: Mild, Gates: GDN, Shape: Shape{B: 2, H: 2, T: 21, K: 8, V: 12, C: 16}, Scale: 0.5},
	}
	for i := range cases {
		cases[i].Seed = seedOf("fused/" + cases[i].Name)
	}
	return cases
}

// TestWriteFusedFixture is the generator of both files. As with the other fixture, the
// two independent forms must agree before anything is written.
func TestWriteFusedFixture(t *testing.T) {
	var file fixtureWriter
	m := manifest{Generator: "kernels/kda TestWriteFusedFixture", Version: fusedVersion, File: "fused.safetensors"}
	for _, c := range fusedCases() {
		p := rounded(must(c.Problem())(t))
		out, grad := must(Sequential(p))(t), must(Gradient(context.Background(), p))(t)
		agree(t, c.Name, p, out, grad)
		for _, term := range inputTerms(p) {
			file.addRounded(c.Name+"/"+term.Name, *term.Tensor)
		}
		for _, term := range referenceTerms(out, grad) {
			file.add(c.Name+"/"+term.Name, *term.Tensor)
		}
		m.Cases = append(m.Cases, describe(c, p))
	}
	data := must(file.bytes())(t)
	m.SHA256 = sum(data)
	writeFixture(t, fusedFile, data)
	writeFixture(t, fusedManifest, append(must(json.MarshalIndent(m, "", "  "))(t), '\n'))
}

// describe is a case in the manifest.
func describe(c Case, p *Problem) manifestCase {
	s := p.Shape
	return manifestCase{
		Name: c.Name, Family: c.Family, Gates: c.Gates, Seed: fmt.Sprintf("%#x", c.Seed), Scale: p.Scale,
		B: s.B, H: s.H, T: s.T, K: s.K, V: s.V, C: s.C, ZeroKey: c.ZeroKey,
	}
}

// rounded is a problem whose numbers float32 has, the factor on q among them.
func rounded(p *Problem) *Problem {
	p.Scale = float64(float32(p.scale()))
	for _, term := range inputTerms(p) {
		for i, x := range term.Tensor.Data {
			term.Tensor.Data[i] = float64(float32(x))
		}
	}
	return p
}

// inputTerms are all that a problem is read from.
func inputTerms(p *Problem) []Term {
	return append(p.In.Terms(), Term{"dOut", &p.DOut}, Term{"dS_T", &p.DST})
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// TestFusedFixture holds the committed files against each other, against the cases that
// they say they are of, and against the chunk form.
func TestFusedFixture(t *testing.T) {
	var m manifest
	if err := json.Unmarshal(must(os.ReadFile(fusedManifest))(t), &m); err != nil {
		t.Fatal(err)
	}
	if got := sum(must(os.ReadFile(fusedFile))(t)); got != m.SHA256 || m.Version != fusedVersion || len(m.Cases) != len(fusedCases()) {
		t.Fatalf("%s is of version %d and %d cases, and of sha256 %s; %s has %s; run the generator", fusedManifest, m.Version, len(m.Cases), m.SHA256, fusedFile, got)
	}
	file, compared := readFixture(t, fusedFile), 0
	for i, c := range fusedCases() {
		p := rounded(must(c.Problem())(t))
		if m.Cases[i] != describe(c, p) {
			t.Errorf("%s has %+v for %+v", fusedManifest, m.Cases[i], describe(c, p))
		}
		for _, term := range inputTerms(p) {
			if r := must(Compare(term.Name, file.values(t, c.Name+"/"+term.Name), *term.Tensor, 0))(t); !r.Within(0) {
				t.Errorf("%s: %v", c.Name, r)
			}
			compared++
		}
		f := must(ChunkForward(p))(t)
		b := must(ChunkBackward(p, f))(t)
		for _, term := range referenceTerms(&f.Output, &b.Grad) {
			if r := must(Compare(term.Name, *term.Tensor, file.values(t, c.Name+"/"+term.Name), 1))(t); !r.Within(adBar) {
				t.Errorf("%s: %v", c.Name, r)
			}
			compared++
		}
	}
	if compared != len(file.header) || compared != 18*len(fusedCases()) {
		t.Errorf("%d tensors were compared of %d", compared, len(file.header))
	}
}
