package verify

import (
	"math"

	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
	"gpuci/kernels/rmsnorm"
)

// normName is the metric of the fused RMSNorm.
const normName = "rmsnorm-rel"

func normProgram(look Look) Program {
	return Program{Name: "rmsnorm", Sources: []string{"rmsnorm.cu"}, Look: look}
}

func normCheck() Check {
	return unitCheck{
		metric: func(string) string { return normName }, numbers: normProgram(Numbers), watched: normProgram(Accesses), units: normUnits,
	}.check(Check{
		Name:  "rmsnorm",
		About: "RMSNorm and its gradients against their reference, row by row",
		Bars:  []Bar{atMost(normName, rmsnorm.Bar)},
		cases: namesOf(rmsnorm.Cases, func(c rmsnorm.Case) string { return c.Name }),
	})
}

// normUnits are the cases of package rmsnorm, each with its reference.
func normUnits(seed uint64) (list []unit, err error) {
	for _, c := range rmsnorm.Cases() {
		c.Seed ^= seed
		p, err := c.Problem()
		if err != nil {
			return nil, err
		}
		p = p.Rounded()
		list = append(list, unit{
			name: c.Name, job: rmsnorm.Plan(p),
			compare: func(r launch.Result) ([]kda.Report, error) { return normCompare(p, r) },
		})
	}
	return list, nil
}

// normCompare judges each row by itself. d_x is a difference of two terms that a row of
// one element, or one along its own gradient, leaves next to nothing of: it is judged
// against the first of them.
func normCompare(p *rmsnorm.Problem, r launch.Result) ([]kda.Report, error) {
	got, err := rmsnorm.Read(p, r)
	if err != nil {
		return nil, err
	}
	want, err := rmsnorm.Normalise(p)
	if err != nil {
		return nil, err
	}
	var list []kda.Report
	terms := want.Terms(p.Shape)
	for i, g := range got.Terms(p.Shape) {
		w, cols := terms[i], g.Dims[1]
		scales := largest(w.Data, cols)
		switch g.Name {
		case "d_x":
			scales = largest(firstTerms(p, want), cols)
		case "d_weight":
			scales = []float64{weightScale(p, want)}
		}
		list = append(list, rowwise(g.Name, g.Data, w.Data, cols, scales))
	}
	return list, nil
}

// firstTerms is rstd * dY * weight, the first term of d_x [Rows,D].
func firstTerms(p *rmsnorm.Problem, o *rmsnorm.Output) []float64 {
	list := make([]float64, len(p.DY))
	for i, dY := range p.DY {
		list[i] = o.RStd[i/p.D] * dY * p.Weight[i%p.D]
	}
	return list
}

// weightScale is the largest sum over rows of |dY * x * rstd|, whose terms may cancel
// in d_weight.
func weightScale(p *rmsnorm.Problem, o *rmsnorm.Output) float64 {
	sums := make([]float64, p.D)
	for i, dY := range p.DY {
		sums[i%p.D] += math.Abs(dY * p.X[i] * o.RStd[i/p.D])
	}
	return largest(sums, p.D)[0]
}
