package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/kernels/trace"
)

// getCUPTI is how to come by CUPTI.
const getCUPTI = "python3 -m pip install nvidia-cuda-cupti (or nvidia-cuda-cupti-cu12) in the program's environment, or NVIDIA's CUDA toolkit"

// checkTrace looks at what counting a program's calls of CUDA takes.
func (d *doctor) checkTrace(ctx context.Context) []check {
	return []check{d.checkTraceLibrary(ctx), d.checkCUPTI(ctx), d.checkCUDADriver(ctx), d.checkInjection()}
}

// traced names the gates that are counted, for what is lost without something.
func (d *doctor) traced() (by string, used bool) {
	var names []string
	for _, g := range d.place.config.Gates {
		if g.Trace != nil {
			names = append(names, g.Name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return "gates " + strings.Join(names, ", ") + " are counted by it", true
}

// absent is a check of something that is not there: a loss where a gate asks for it.
func (d *doctor) absent(name, value, outcome, get string) check {
	if by, used := d.traced(); used {
		return lost(name, value, by+", and are "+outcome, get)
	}
	c := fine(name, value+", and no gate here is counted; gpuci trace would count nothing")
	c.Get, c.brief = get, true
	return c
}

// checkTraceLibrary says where the library is, or what would compile it.
func (d *doctor) checkTraceLibrary(ctx context.Context) check {
	const name, get = "library", "apt-get install gcc, or lay " + trace.LibraryName + " beside gpuci: make trace"
	o := traceLibraryOptions()
	path, err := trace.Built(ctx, o)
	var none *trace.NoCompiler
	switch {
	case errors.As(err, &none):
		return d.absent(name, "no C compiler to make it: "+cmp.Or(none.Named, strings.Join(none.Asked, ", ")), "refused", get)
	case err != nil && path != "":
		return broken(name, err.Error(), "nothing is counted", "take it away, or make it again: make trace").at(path)
	case err != nil:
		return broken(name, err.Error(), "nothing is counted", get)
	case path == "":
		return fine(name, "compiled when it is first asked for, into "+o.Dir)
	case filepath.Dir(path) == o.Beside:
		return fine(name, "beside gpuci").at(path)
	}
	return fine(name, "compiled before").at(path)
}

// checkCUPTI looks where gpuci trace and gates do for a program of this Python, and where
// the loader would. A program may bring one of its own.
func (d *doctor) checkCUPTI(ctx context.Context) check {
	const name = "CUPTI"
	python := gates.PythonOf([]string{"python3"}, d.place.dir, d.env)
	path, found := trace.FindCUPTI(d.env, python)
	by := "where python3 or the CUDA toolkit has it"
	for _, file := range []string{"libcupti.so.13", "libcupti.so.12"} {
		if !found {
			path, by = d.library(ctx, file)
			found = path != ""
		}
	}
	if !found {
		return d.absent(name, "none that is for all programs (one with PyTorch in it has its own)", "broken", getCUPTI)
	}
	if !isFile(path) {
		return broken(name, "there is none where GPUCI_TRACE_CUPTI names one", "nothing is counted", "unset it, or name one that is there").at(path)
	}
	c := fine(name, by).at(path)
	c.Version = libraryVersion(path)
	return c
}

// libraryVersion is what the file's own name says behind .so.
func libraryVersion(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	_, version, _ := strings.Cut(filepath.Base(path), ".so.")
	return version
}

// checkCUDADriver looks for the library of the driver, which loads ours.
func (d *doctor) checkCUDADriver(ctx context.Context) check {
	path, by := d.library(ctx, cudaDriver)
	if path == "" {
		return d.absent("libcuda", "no "+cudaDriver+" "+by, "broken", "the driver's libcuda1 or libnvidia-compute package, or --gpus all in a container")
	}
	c := fine("libcuda", by).at(path)
	c.Version = libraryVersion(path)
	return c
}

// checkInjection says whether another tool's library is to be loaded already.
func (d *doctor) checkInjection() check {
	const name = "injection"
	_, err := trace.Attach(trace.Attachment{}, d.env)
	var other *trace.OtherInjection
	if errors.As(err, &other) {
		return lost(name, fmt.Sprintf("%s is set to %s, of %s", other.Variable, other.Path, cmp.Or(other.Whose, "another tool")),
			"a program loads one such library: gpuci trace counts nothing, and gates with [gate.trace] are refused", "unset "+other.Variable)
	}
	if v, set := shim.Lookup(d.env, "GPUCI_TRACE_CUPTI"); set && v != "" {
		return fine(name, "GPUCI_TRACE_CUPTI names "+v)
	}
	return fine(name, "no other tool's library is to be loaded").hidden()
}

// traceLibraryOptions are where the library is kept, and what makes it.
func traceLibraryOptions() trace.LibraryOptions {
	o := trace.LibraryOptions{CC: os.Getenv("CC")}
	if dir, err := os.UserCacheDir(); err == nil {
		o.Dir = filepath.Join(dir, "gpuci", "trace")
	}
	if self, err := os.Executable(); err == nil {
		o.Beside = filepath.Dir(self)
	}
	return o
}
