package kda

import (
	"context"
	"fmt"
	"testing"
)

// fixtureFile holds the reference values of some cases, for whoever has another
// implementation and not this one: of each the output, the final state and the seven
// gradients, float64, as a safetensors file.
const fixtureFile = "testdata/reference.safetensors"

// fixtureCases are small, and between them have a tail, a state, and all gates.
func fixtureCases() []string { return []string{"one-row", "tail", "gdn"} }

// TestWriteFixture is the generator of the file. The values are those of the sequential
// form and its forward derivatives; before any is written, the chunk form and its
// hand-derived adjoint, which are independent of these, must agree.
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
	writeFixture(t, fixtureFile, must(file.bytes())(t))
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

// TestFixture holds the chunk form and its adjoint against the committed values. The
// bar leaves room for another processor's fused multiplications.
func TestFixture(t *testing.T) {
	file := readFixture(t, fixtureFile)
	compared := 0
	for _, name := range fixtureCases() {
		p := must(caseNamed(t, name).Problem())(t)
		f := must(ChunkForward(p))(t)
		b := must(ChunkBackward(p, f))(t)
		for _, term := range referenceTerms(&f.Output, &b.Grad) {
			want := file.values(t, name+"/"+term.Name)
			r := must(Compare(term.Name, *term.Tensor, want, 1))(t)
			if compared++; !r.Within(adBar) {
				t.Errorf("%s: %v", name, r)
			}
		}
	}
	if compared != len(file.header) || compared != 9*len(fixtureCases()) {
		t.Errorf("%d tensors were compared of %d", compared, len(file.header))
	}
	fmt.Printf("kda-fixture compared=%d/%d\n", compared, len(file.header))
}
