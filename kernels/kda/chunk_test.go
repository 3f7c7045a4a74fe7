package kda

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChunkLength: neither results nor gradients depend on where the chunks
// are cut.
func TestChunkLength(t *testing.T) {
	for _, family := range []Family{Mild, Strong, VeryStrong} {
		c := Case{Name: "length", Family: family, Shape: Shape{B: 2, H: 2, T: 37, K: 6, V: 4, C: 37}, Seed: 5}
		whole := must(c.Problem())(t)
		want := chunked(t, whole)
		for _, rows := range []int{1, 4, 16, 64} {
			t.Run(fmt.Sprintf("%s/%d", family, rows), func(t *testing.T) {
				p := *whole
				p.C = rows
				got := chunked(t, &p)
				reports := must(CompareOutput(&got.Output, &want.Output))(t)
				reports = append(reports, must(CompareGradients(&p, &got.grad, &want.grad))(t)...)
				within(t, reports, map[string]float64{"out": fwdBar, "state": fwdBar}, adBar)
			})
		}
	}
}

// TestHeadsAreIndependent: putting the heads in another order puts every
// result in that order and changes no bit of it.
func TestHeadsAreIndependent(t *testing.T) {
	p := must(caseNamed(t, "wide").Problem())(t)
	order := []int{4, 2, 0, 5, 1, 3} // crosses batches and heads
	moved := *p
	for i, term := range moved.In.Terms() {
		*term.Tensor = reordered(*p.In.Terms()[i].Tensor, order)
	}
	moved.DOut, moved.DST = reordered(p.DOut, order), reordered(p.DST, order)

	want, got := chunked(t, p), chunked(t, &moved)
	sequential, again := must(Sequential(p))(t), must(Sequential(&moved))(t)
	tensors := map[string][2]Tensor{
		"out":              {want.Out, got.Out},
		"state":            {want.Final, got.Final},
		"sequential out":   {sequential.Out, again.Out},
		"sequential state": {sequential.Final, again.Final},
	}
	for i, term := range want.grad.Terms() {
		tensors["d_"+term.Name] = [2]Tensor{*term.Tensor, *got.grad.Terms()[i].Tensor}
	}
	for name, pair := range tensors {
		if diff := cmp.Diff(reordered(pair[0], order), pair[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if cmp.Equal(pair[0], pair[1]) {
			t.Errorf("%s: the order makes no difference; the test shows nothing", name)
		}
	}
}

// TestPairwiseDoesNotOverflow shows that the overflow case is one: the
// exponential that the chunk form avoids is infinite there.
func TestPairwiseDoesNotOverflow(t *testing.T) {
	p := must(caseNamed(t, "overflow").Problem())(t)
	f := must(ChunkForward(p))(t)
	chunk := f.Chunks[0][0]
	if last := chunk.G.At(chunk.G.Rows-1, 0); !math.IsInf(math.Exp(-last), 1) {
		t.Errorf("exp(-G) is finite at G = %v; make the chunk longer", last)
	}
	b := must(ChunkBackward(p, f))(t)
	for _, term := range b.Grad.Terms() {
		for i, x := range term.Tensor.Data {
			if !finite(x) {
				t.Fatalf("d_%s%v is %v", term.Name, term.Tensor.Place(i), x)
			}
		}
	}
}

func TestBackwardWantsItsForward(t *testing.T) {
	p := must(caseNamed(t, "tail").Problem())(t)
	f := must(ChunkForward(p))(t)
	other := *p
	other.C++
	if _, err := ChunkBackward(&other, f); err == nil || !strings.Contains(err.Error(), "run ChunkForward") {
		t.Errorf("adjoint on another chunk length: error %v", err)
	}
}

// FuzzChunkForm holds the chunk form against the sequential one on shapes and
// seeds of the fuzzer's choice.
func FuzzChunkForm(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(0))
	f.Add(uint64(2), uint8(9), uint8(4), uint8(3), uint8(4), uint8(1))
	f.Add(uint64(3), uint8(16), uint8(2), uint8(5), uint8(15), uint8(2))
	f.Add(uint64(4), uint8(17), uint8(6), uint8(6), uint8(16), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, rows, keys, values, chunk, family uint8) {
		size := func(n uint8, top int) int { return 1 + int(n)%top }
		c := Case{
			Name:   "fuzz",
			Family: []Family{Mild, Moderate, Strong, VeryStrong}[family%4],
			Shape:  Shape{B: 1, H: 2, T: size(rows, 24), K: size(keys, 8), V: size(values, 8), C: size(chunk, 24)},
			Seed:   seed,
		}
		p := must(c.Problem())(t)
		got := chunked(t, p)
		within(t, must(CompareOutput(&got.Output, must(Sequential(p))(t)))(t), nil, adBar)
		for i, term := range got.grad.Terms() {
			along := Direction(p.Shape, term.Name, seed)
			slope, magnitude := inner(*term.Tensor, *along.Terms()[i].Tensor)
			if diff := math.Abs(slope - must(Directional(p, along))(t)); !(diff <= 1e-10*(magnitude+1)) {
				t.Errorf("%+v: d_%s is off by %g of %g", c, term.Name, diff, magnitude)
			}
		}
	})
}

// results is all that the chunk form computes.
type results struct {
	Output
	grad Leaves
}

func chunked(t *testing.T, p *Problem) results {
	t.Helper()
	f := must(ChunkForward(p))(t)
	return results{Output: f.Output, grad: must(ChunkBackward(p, f))(t).Grad}
}

// within fails the test for every report over its bar.
func within(t *testing.T, reports []Report, bars map[string]float64, otherwise float64) {
	t.Helper()
	if len(reports) == 0 {
		t.Error("nothing was compared")
	}
	for _, r := range reports {
		bar, ok := bars[r.Term]
		if !ok {
			bar = otherwise
		}
		if !r.Within(bar) {
			t.Errorf("over %g: %v", bar, r)
		}
	}
}

// reordered is the tensor with head order[i] in place i.
func reordered(t Tensor, order []int) Tensor {
	moved := NewTensor(t.Dims)
	for i, from := range order {
		copy(moved.head(i).Data, t.head(from).Data)
	}
	return moved
}
