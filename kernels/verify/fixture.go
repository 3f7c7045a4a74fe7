package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gpuci/kernels/kda"
)

func fixtureCheck() Check {
	return Check{
		Name:     "fused-fixture",
		About:    "the fused path against the committed reference values, which were made without this machine's float64",
		Programs: []Program{fusedProgram(Numbers)},
		Bars:     append(relBars(), atMost(orderName, 0), atMost(findingsName, 0)),
		Fixed:    true,
		cases:    fixtureNames,
		run:      fixture,
	}
}

// manifest says what a fixture holds; its generator is in kernels/kda.
type manifest struct {
	Version int           `json:"version"`
	File    string        `json:"file"`   // beside the manifest
	SHA256  string        `json:"sha256"` // of the whole file
	Cases   []fixtureCase `json:"cases"`
}

type fixtureCase struct {
	Name             string
	Family           kda.Family
	Gates            kda.Gates
	Seed             string // hexadecimal
	Scale            float64
	B, H, T, K, V, C int
}

// fixture runs the fused path on the committed inputs, and holds it against the
// committed outputs. The oracle is not asked.
func fixture(ctx context.Context, s *session) (Report, error) {
	m, file, err := readFixture(s.Fixture)
	if err != nil {
		return Report{}, err
	}
	var cases []fixtureCase
	for _, c := range m.Cases {
		if s.picks(c.Name) {
			cases = append(cases, c)
		}
	}
	b := s.program(fusedProgram(Numbers))
	cost := func(c fixtureCase) int { return c.T }
	results, err := each(ctx, s.Jobs, cases, cost, func(ctx context.Context, c fixtureCase) adjointResult {
		r := adjointResult{c: c.named()}
		want, err := c.reference(file)
		if err != nil {
			r.err = err
			return r
		}
		r.err = r.run(ctx, b, want)
		return r
	})
	if err != nil {
		return Report{}, err
	}
	r := adjointReport(results, false, s.sight)
	r.Counters = append(r.Counters, counter("fixture-version", m.Version))
	return r, nil
}

// fixtureNames are the names of a fixture's cases.
func fixtureNames(o Options) (names []string, err error) {
	m, _, err := readFixture(o.Fixture)
	for _, c := range m.Cases {
		names = append(names, c.Name)
	}
	return names, err
}

// FixtureError is a fixture that cannot be used.
type FixtureError struct{ Path, Why string }

func (e *FixtureError) Error() string { return fmt.Sprintf("read fixture %s: %s", e.Path, e.Why) }

// readFixture reads a manifest, and the file that it speaks of, which must be the very
// bytes.
func readFixture(path string) (m manifest, file *tensors, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return m, nil, fmt.Errorf("read fixture: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, nil, &FixtureError{path, "it is no manifest of a fixture, which is a JSON file"}
	}
	if !filepath.IsLocal(m.File) || len(m.Cases) == 0 {
		return m, nil, &FixtureError{path, fmt.Sprintf("it names the file %q and %d cases, and is no manifest of a fixture", m.File, len(m.Cases))}
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(path), m.File))
	if err != nil {
		return m, nil, fmt.Errorf("read fixture: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m.SHA256 {
		return m, nil, &FixtureError{path, fmt.Sprintf("%s beside it is not the file that it was made with: its sha256 is %x, not %s", m.File, sum, m.SHA256)}
	}
	file, err = parseTensors(data)
	if err != nil {
		return m, nil, &FixtureError{path, fmt.Sprintf("%s beside it: %v", m.File, err)}
	}
	return m, file, nil
}

// named is the case as others are.
func (c fixtureCase) named() kda.Case {
	seed, _ := strconv.ParseUint(c.Seed, 0, 64) // it chooses an order of threads, no more
	return kda.Case{Name: c.Name, Family: c.Family, Gates: c.Gates, Seed: seed, Shape: c.shape()}
}

func (c fixtureCase) shape() kda.Shape {
	return kda.Shape{B: c.B, H: c.H, T: c.T, K: c.K, V: c.V, C: c.C}
}

// reference is the case's inputs, and what must come of them.
func (c fixtureCase) reference(file *tensors) (reference, error) {
	s := c.shape()
	if err := s.Check(); err != nil {
		return reference{}, err
	}
	p, grad := &kda.Problem{Shape: s, Scale: c.Scale, In: *kda.NewLeaves(s)}, kda.NewLeaves(s)
	p.DOut, p.DST = kda.NewTensor(grad.V.Dims), kda.NewTensor(grad.State.Dims)
	out := &kda.Output{Out: kda.NewTensor(grad.V.Dims), Final: kda.NewTensor(grad.State.Dims)}
	list := append(p.In.Terms(), kda.Term{Name: "dOut", Tensor: &p.DOut}, kda.Term{Name: "dS_T", Tensor: &p.DST},
		kda.Term{Name: "out", Tensor: &out.Out}, kda.Term{Name: "final", Tensor: &out.Final})
	for _, term := range grad.Terms() {
		list = append(list, kda.Term{Name: "d_" + term.Name, Tensor: term.Tensor})
	}
	for _, term := range list {
		if err := file.fill(c.Name+"/"+term.Name, term.Tensor); err != nil {
			return reference{}, err
		}
	}
	return reference{p, out, grad}, p.Check()
}
