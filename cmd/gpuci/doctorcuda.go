package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/nvcc"
)

// nvccVariable names the nvcc to be taken, before all others.
const nvccVariable = "GPUCI_NVCC"

// cuda is the compiler that kernels are compiled with here, or why there is none.
type cuda struct {
	found    nvcc.Found
	rejected []nvcc.Rejected
	err      error
}

// findNVCC finds it as gpuci kernels does, for a set or, with none, for any.
func (d *doctor) findNVCC(ctx context.Context, s kernels.Set) (c cuda) {
	o := kernels.Options{}
	o.Exec, o.Env = (&gates.Compilers{Name: "doctor"}).Exec, d.env
	c.found, c.rejected, c.err = kernels.Find(ctx, s, o)
	return c
}

// cudaToAsk are the tools of the toolkit that is taken: beside its nvcc, else by
// name on PATH.
func (d *doctor) cudaToAsk() (out []kit) {
	for _, k := range cudaKits() {
		if d.cuda.found.Path != "" {
			if beside := filepath.Join(filepath.Dir(d.cuda.found.Path), k.name); executableFile(beside) {
				k.name = beside
			}
		}
		out = append(out, k)
	}
	return out
}

func (d *doctor) checkCUDA(ctx context.Context) []check {
	out := append([]check{d.checkNVCC()}, d.checkSets(ctx)...)
	for _, k := range cudaKits() {
		if t, ok := d.answers[filepath.Join(filepath.Dir(d.cuda.found.Path), k.name)]; ok && d.cuda.found.Path != "" {
			t.name, t.get = k.name, k.get
			out = append(out, t.check())
			continue
		}
		out = append(out, d.answers[k.name].check())
	}
	return out
}

// getNVCC is how to get one.
const getNVCC = "python3 -m " + nvcc.Install + " in a venv (13.0 suits drivers from 580 on), or NVIDIA's CUDA toolkit"

func (d *doctor) checkNVCC() check {
	by, used := d.uses["nvcc"]
	c := d.cuda
	switch {
	case c.err == nil:
		out := fine("nvcc", "taken: "+c.found.Why+c.besides()).at(c.found.Path)
		out.Version = c.found.Version
		return out
	case !errors.Is(c.err, nvcc.ErrNone) && errors.Is(c.err, context.DeadlineExceeded):
		return unsure("nvcc", c.err.Error())
	case !errors.Is(c.err, nvcc.ErrNone): // somebody named one
		return broken("nvcc", c.err.Error()+c.besides(), "no .cu is compiled by it", "unset "+nvccVariable+", or name one that is there")
	case used:
		return lost("nvcc", "none that can be used"+c.besides(), by, getNVCC)
	}
	return check{Name: "nvcc", State: stateOK, Value: "not here, and nothing here names it" + c.besides(), Get: getNVCC, brief: len(c.rejected) == 0}
}

// besides are the other places: what is wrong with those before the one that was
// taken, and which there are behind it. What the error is about, it says itself.
func (c cuda) besides() string {
	var b strings.Builder
	for _, r := range c.rejected {
		switch {
		case r.Behind:
			fmt.Fprintf(&b, "; also there, and not asked: %s, %s", r.Path, r.Why)
		case c.err == nil || !strings.Contains(c.err.Error(), r.Path):
			fmt.Fprintf(&b, "; not %s: %s", r.Path, r.Why)
		}
	}
	return b.String()
}

// checkSets looks at the sets that want a compiler of their own.
func (d *doctor) checkSets(ctx context.Context) (out []check) {
	cfg := d.place.config
	for _, k := range cfg.Kernels {
		if len(k.Sources) == 0 || k.Compiler == "" && k.NVCCVersion == "" {
			continue
		}
		name := "nvcc of " + k.Name
		c := d.findNVCC(ctx, gates.KernelSet(cfg, k, cfg.Root))
		if c.err != nil {
			out = append(out, broken(name, c.err.Error()+c.besides(), "set "+k.Name+" is not compiled", "mend compiler or nvcc in its [[kernels]], or install that one: "+getNVCC))
			continue
		}
		one := fine(name, "taken: "+c.found.Why+c.besides()).at(c.found.Path)
		one.Version = c.found.Version
		out = append(out, one)
	}
	return out
}
