package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/buildlock/shim"
	"gpuci/gates/config"
	"gpuci/reaper/proc"
)

// nvccVariable names the nvcc to be taken, before all others.
const nvccVariable = "GPUCI_NVCC"

// compiler is an nvcc that was found, and by what.
type nvcc struct{ path, why string }

// nvccs are the CUDA compilers that there are, the one that is taken first: the
// one that is named, the one that a build finds, those where toolkits are said to
// be, those of the Python environment that is active, and those of the usual
// places.
func (d *doctor) nvccs() (out []nvcc) {
	add := func(path, why string) {
		if executableFile(path) && !slices.ContainsFunc(out, func(n nvcc) bool { return sameFile(n.path, path) }) {
			out = append(out, nvcc{path, why})
		}
	}
	if v, _ := shim.Lookup(d.env, nvccVariable); v != "" {
		add(v, nvccVariable+" names it")
	}
	if path, err := proc.LookPath("nvcc", d.place.dir, d.env); err == nil {
		add(path, "it is on PATH")
	}
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if v, _ := shim.Lookup(d.env, name); v != "" {
			add(filepath.Join(v, "bin/nvcc"), name+" names its toolkit")
		}
	}
	if venv, _ := shim.Lookup(d.env, "VIRTUAL_ENV"); venv != "" {
		for _, pattern := range []string{"nvidia/cu[0-9]*/bin/nvcc", "nvidia/cuda_nvcc/bin/nvcc"} {
			for _, path := range newestFirst(filepath.Join(venv, "lib/python3*/site-packages", pattern)) {
				add(path, "NVIDIA's package in the active Python environment")
			}
		}
	}
	add("/usr/local/cuda/bin/nvcc", "the usual place")
	for _, path := range newestFirst("/usr/local/cuda-*/bin/nvcc") {
		add(path, "the usual place")
	}
	return out
}

// newestFirst are the paths that match, the highest name first.
func newestFirst(pattern string) []string {
	found, _ := filepath.Glob(pattern)
	slices.Sort(found)
	slices.Reverse(found)
	return found
}

// sameFile says whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, errA := filepath.EvalSymlinks(a)
	y, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && x == y
}

// cudaToAsk are the tools of the toolkit that is taken: beside its nvcc, else by
// name on PATH.
func (d *doctor) cudaToAsk() (out []kit) {
	list := d.nvccs()
	if len(list) > 0 {
		out = append(out, kit{name: list[0].path})
	}
	for _, k := range cudaKits() {
		if len(list) > 0 {
			if beside := filepath.Join(filepath.Dir(list[0].path), k.name); executableFile(beside) {
				k.name = beside
			}
		}
		out = append(out, k)
	}
	return out
}

func (d *doctor) checkCUDA(ctx context.Context) []check {
	list := d.nvccs()
	out := []check{d.checkNVCC(list)}
	for _, k := range cudaKits() {
		if len(list) > 0 {
			if t, ok := d.answers[filepath.Join(filepath.Dir(list[0].path), k.name)]; ok {
				t.name, t.get = k.name, k.get
				out = append(out, t.check())
				continue
			}
		}
		out = append(out, d.answers[k.name].check())
	}
	out = append(out, d.checkDriver(ctx)...)
	return append(out, d.checkCards())
}

func (d *doctor) checkNVCC(list []nvcc) check {
	by, used := d.uses["nvcc"]
	const get = "python3 -m pip install nvidia-cuda-nvcc in a venv, or NVIDIA's CUDA toolkit"
	if named, _ := shim.Lookup(d.env, nvccVariable); named != "" && !executableFile(named) {
		return broken("nvcc", fmt.Sprintf("%s is %s, which cannot be run", nvccVariable, named), "no .cu is compiled by it", "unset "+nvccVariable+", or name one that is there")
	}
	switch {
	case len(list) == 0 && used:
		return lost("nvcc", "not here", by, get)
	case len(list) == 0:
		return check{Name: "nvcc", State: stateOK, Value: "not here, and nothing here names it", Get: get, brief: true}
	}
	first := list[0]
	t := d.answers[first.path]
	t.name = "nvcc"
	c := t.check()
	c.brief = false
	if c.State != stateOK {
		return c
	}
	c.Value = "taken because " + first.why
	if strings.HasSuffix(first.why, "environment") || strings.HasSuffix(first.why, "place") {
		c.Value = "taken as " + first.why
	}
	var others []string
	for _, n := range list[1:] {
		others = append(others, n.path)
	}
	if len(others) > 0 {
		c.Value += "; not taken: " + strings.Join(others, ", ")
	}
	return c
}

// checkCards says what becomes of gates that need a card.
func (d *doctor) checkCards() check {
	var names []string
	for _, g := range d.place.config.Gates {
		if len(g.Needs) > 0 {
			names = append(names, g.Name)
		}
	}
	const value = "this version of gpuci does not look at cards yet: a gate with needs is refused"
	switch {
	case !slices.Contains(config.Later(), "gate.needs"):
		return fine("cards", cmp.Or(strings.Join(names, ", "), "no gate")+" needs one")
	case len(names) == 0:
		return fine("cards", value+"; none here has any")
	}
	return lost("cards", value, strings.Join(names, ", "), "run its command by hand on a card you know to be yours alone")
}
