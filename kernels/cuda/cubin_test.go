//go:build linux

package cuda_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

func TestSuits(t *testing.T) {
	for _, c := range []struct {
		cubin, card string
		want        bool
	}{
		{"sm_90", "sm_90", true}, {"sm_90a", "sm_90", true}, {"sm_80", "sm_86", true}, {"sm_80", "sm_90", false},
		{"sm_89", "sm_86", false}, {"sm_90a", "sm_100", false}, {"sm_100f", "sm_103", true}, {"sm_100a", "sm_103", false},
		{"sm_100", "sm_120", false}, {"", "sm_90", false},
	} {
		if got := cuda.Suits(c.cubin, c.card); got != c.want {
			t.Errorf("%s on %s: %v, want %v", c.cubin, c.card, got, c.want)
		}
	}
}

func TestChoose(t *testing.T) {
	of := func(path, arch string) cuda.Cubin {
		return cuda.Cubin{Path: path, Arch: arch, Toolkit: "13.0"}
	}
	list := []cuda.Cubin{of("a/k.sm_80.cubin", "sm_80"), of("a/k.sm_90.cubin", "sm_90"), of("a/kk.sm_80.cubin", "sm_80")}
	if got, err := cuda.Choose(list, []string{"k.cu"}, "sm_90"); err != nil || len(got) != 1 || got[0].Path != "a/k.sm_90.cubin" {
		t.Errorf("k.cu on sm_90: %v, %v", got, err)
	}
	var e *cuda.Error
	if _, err := cuda.Choose(list, []string{"kk.cu"}, "sm_90"); !errors.As(err, &e) || e.Code != cuda.WrongArch {
		t.Errorf("kk.cu on sm_90: %v", err)
	}
	if _, err := cuda.Choose(list, []string{"other.cu"}, "sm_90"); !errors.As(err, &e) || e.Code != cuda.NoCubin {
		t.Errorf("other.cu: %v", err)
	}
	if got := cuda.Toolkit(list); got != "nvcc-13.0" {
		t.Errorf("toolkit %q", got)
	}
}

// TestArguments: what a cubin says of a kernel's parameters is held against a launch,
// before a card reads whatever lies beside them.
func TestArguments(t *testing.T) {
	k := cuda.Kernel{Name: "scale", Params: []int{8, 8, 4}}
	p, err := cuda.New([]cuda.Cubin{{Path: "k", Kernels: []cuda.Kernel{k}}}, cuda.Options{Program: "/absent"})
	if err != nil {
		t.Fatal(err)
	}
	job := launch.Job{
		Buffers:  []launch.Buffer{{Name: "x", Count: 1, Role: launch.Output}},
		Launches: []launch.Launch{{Kernel: "scale", Phase: "p", Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}}},
	}
	for name, args := range map[string][]launch.Arg{
		"too few":     {launch.Of("x"), launch.Of("x")},
		"another one": {launch.Of("x"), launch.I(1), launch.I(1)},
	} {
		job.Launches[0].Args = args
		var e *cuda.Error
		if _, err := p.Run(t.Context(), job); !errors.As(err, &e) || e.Code != cuda.BadJob {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRequest: a job comes back as it was sent, with the bits of every number.
func TestRequest(t *testing.T) {
	job := scale("scale")
	got, err := cuda.RequestOf(job).Job()
	if err != nil || got.Buffers[0].Data[1] != 2 || *got.Launches[0].Args[3].Float != 3 || *got.Launches[0].Args[2].Int != 4 {
		t.Errorf("job %+v, %v", got, err)
	}
	for name, spoil := range map[string]func(*cuda.Request){
		"another version": func(r *cuda.Request) { r.Version++ },
		"cut bits":        func(r *cuda.Request) { r.Buffers[0].Bits = r.Buffers[0].Bits[:3] },
		"one sample":      func(r *cuda.Request) { r.Timing = &cuda.Timing{Samples: 1, Copies: 1} },
		"no copies":       func(r *cuda.Request) { r.Timing = &cuda.Timing{Samples: 2} },
		"return of none":  func(r *cuda.Request) { r.Return = []string{"absent"} },
		"no launches":     func(r *cuda.Request) { r.Launches = nil },
	} {
		r := cuda.RequestOf(job)
		spoil(&r)
		if _, err := r.Job(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// TestReadRequest: a request is read whole, and nothing beside it.
func TestReadRequest(t *testing.T) {
	text, err := json.Marshal(cuda.RequestOf(scale("scale")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cuda.ReadRequest(bytes.NewReader(text)); err != nil {
		t.Error(err)
	}
	for text, says := range map[string]string{
		"":                                    "EOF",
		string(text) + " x":                   "more behind it",
		`{"version":1,"ask":true,"grid":[1]}`: "grid",
		`{"version":2,"ask":true,"grid":[1]}`: "of version 2",
	} {
		if _, err := cuda.ReadRequest(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// TestParams: what a cubin says of a kernel's parameters, for drivers that do not.
func TestParams(t *testing.T) {
	paths := []string{"absent", "../cubin/testdata/abi8.cubin"}
	list, err := cuda.Read("../cubin/testdata")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, c := range list {
		for _, k := range c.Kernels {
			if c.Path == paths[1] {
				looked++
			}
			if c.Path == paths[1] && (len(k.Params) == 0 || !slices.Equal(cuda.Params(paths, k.Name), k.Params)) {
				t.Errorf("%s: %v, want %v", k.Name, cuda.Params(paths, k.Name), k.Params)
			}
		}
	}
	if got := cuda.Params(paths, "absent"); got != nil || looked == 0 {
		t.Errorf("of no kernel: %v; of %d others", got, looked)
	}
}
