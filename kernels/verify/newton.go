package verify

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
	"gpuci/kernels/newton"
)

// The metrics of the batched Newton-Schulz iteration. Matrices of low rank have a bar
// of their own, and so a metric: five steps of the quintic raise what rounding has made
// of their zeros.
const (
	newtonName    = "ns-rel"
	newtonLowName = "ns-low-rel"
)

func newtonMetric(family string) string {
	if family == string(newton.Low) {
		return newtonLowName
	}
	return newtonName
}

func newtonProgram(look Look) Program {
	return Program{Name: "ns", Sources: []string{"newton_schulz.cu"}, Look: look}
}

func newtonCheck() Check {
	return unitCheck{
		metric: newtonMetric, numbers: newtonProgram(Numbers), watched: newtonProgram(Accesses), units: newtonUnits,
	}.check(Check{
		Name:  "ns-batched",
		About: "the batched Newton-Schulz orthogonalisation against its reference, matrix by matrix",
		Bars:  []Bar{atMost(newtonName, newton.Full.Bar()), atMost(newtonLowName, newton.Low.Bar())},
		cases: namesOf(newton.Cases, func(c newton.Case) string { return c.Name }),
	})
}

// newtonUnits are the cases of package newton, each with its reference.
func newtonUnits(seed uint64) (list []unit, err error) {
	for _, c := range newton.Cases() {
		c.Seed ^= seed
		p, err := c.Problem()
		if err != nil {
			return nil, err
		}
		p = p.Rounded()
		list = append(list, unit{
			name: c.Name, family: string(c.Kind), job: newton.Plan(p),
			compare: func(r launch.Result) ([]kda.Report, error) { return newtonCompare(p, r) },
		})
	}
	return list, nil
}

// newtonCompare judges each matrix by itself.
func newtonCompare(p *newton.Problem, r launch.Result) ([]kda.Report, error) {
	got, err := newton.Read(p, r)
	if err != nil {
		return nil, err
	}
	want, err := newton.Orthogonalise(p)
	if err != nil {
		return nil, err
	}
	size := p.D * p.Cols
	return []kda.Report{rowwise("out", got, want, size, largest(want, size))}, nil
}
