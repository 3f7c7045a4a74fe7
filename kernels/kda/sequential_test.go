package kda

import (
	"math"
	"strings"
	"testing"
)

// byHand is a problem small enough to work on paper: two rows, two key
// channels, one value channel, decays of a half and a quarter.
func byHand() *Problem {
	half, quarter := math.Log(0.5), math.Log(0.25)
	s := Shape{B: 1, H: 1, T: 2, K: 2, V: 1, C: 1}
	tensor := func(dims [4]int, xs ...float64) Tensor { return Tensor{Dims: dims, Data: xs} }
	return &Problem{
		Shape: s, Scale: 10,
		In: Leaves{
			Q:     tensor(s.keyed(), 1, 2, 0, 1),
			K:     tensor(s.keyed(), 1, 0, 1, 1),
			V:     tensor(s.valued(), 3, 8),
			G:     tensor(s.keyed(), half, 0, 0, quarter),
			B:     tensor(s.keyed(), 0.5, 1, 1, 0.5),
			W:     tensor(s.valued(), 1, 0.5),
			State: tensor(s.stateful(), 2, 4),
		},
		DOut: NewTensor(s.valued()),
		DST:  NewTensor(s.stateful()),
	}
}

// Row 1: S' = (1, 4), e = 0.5*1 = 0.5, n = 3-0.5 = 2.5, S = (3.5, 4),
// o = 10*(3.5+8) = 115. Row 2: S' = (3.5, 1), e = 3.5+0.5 = 4, n = 4-4 = 0,
// S = (3.5, 1), o = 10*1.
func TestSequentialByHand(t *testing.T) {
	want := &Output{
		Out:   Tensor{Dims: [4]int{1, 1, 2, 1}, Data: []float64{115, 10}},
		Final: Tensor{Dims: [4]int{1, 1, 2, 1}, Data: []float64{3.5, 1}},
	}
	within(t, must(CompareOutput(must(Sequential(byHand()))(t), want))(t), nil, 1e-15)
	within(t, must(CompareOutput(&must(ChunkForward(byHand()))(t).Output, want))(t), nil, 1e-15)
}

func TestDefaultScale(t *testing.T) {
	p := byHand()
	p.Scale = 0
	got := must(Sequential(p))(t).Out.Data[0]
	if want := 11.5 / math.Sqrt2; math.Abs(got-want) > 1e-14 {
		t.Errorf("out with scale 0 is %v, want %v (K^-0.5)", got, want)
	}
}

func TestProblemCheck(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(p *Problem)
		want  string
	}{
		{"no rows", func(p *Problem) { p.T = 0 }, "check shape: T is 0"},
		{"no chunk length", func(p *Problem) { p.C = -1 }, "check shape: C is -1"},
		{"shape of w", func(p *Problem) { p.In.W = NewTensor(p.stateful()); p.In.W.Dims[2] = 3 }, "w is [1 1 3 1] with 2 values"},
		{"missing state", func(p *Problem) { p.In.State = Tensor{} }, "state is [0 0 0 0] with 0 values"},
		{"shape of dOut", func(p *Problem) { p.DOut.Data = p.DOut.Data[:1] }, "dOut is [1 1 2 1] with 1 values"},
		{"NaN", func(p *Problem) { p.In.K.Data[3] = math.NaN() }, "k[0 0 1 1] is NaN"},
		{"infinity", func(p *Problem) { p.DST.Data[1] = math.Inf(-1) }, "dS_T[0 0 1 0] is -Inf"},
		{"growth", func(p *Problem) { p.In.G.Data[2] = 0.5 }, "g[0 0 1 0] is 0.5; a log decay is at most 0"},
		{"scale", func(p *Problem) { p.Scale = math.NaN() }, "scale is NaN"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := byHand()
			test.spoil(p)
			for name, err := range entries(p) {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: error %v, want %q in it", name, err, test.want)
				}
			}
		})
	}
}

// entries calls every function that takes a problem.
func entries(p *Problem) map[string]error {
	along := NewLeaves(byHand().Shape)
	errs := map[string]error{}
	_, errs["Sequential"] = Sequential(p)
	_, errs["ChunkForward"] = ChunkForward(p)
	_, errs["ChunkBackward"] = ChunkBackward(p, &Forward{})
	_, errs["Directional"] = Directional(p, along)
	_, errs["DirectionalDifference"] = DirectionalDifference(p, along)
	return errs
}
