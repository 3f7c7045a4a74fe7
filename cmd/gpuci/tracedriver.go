package main

import (
	"context"

	"gpuci/buildlock/shim"
)

// cudaDriver is the library that each program loads to use a card.
const cudaDriver = "libcuda.so.1"

// noDriver says whether the loader has no driver of CUDA for the program, so far as that
// can be told from here: a container has its own.
func (t *tracing) noDriver() bool {
	dirs, _ := shim.Lookup(t.env, "LD_LIBRARY_PATH")
	if inDirectories(dirs, cudaDriver) != "" {
		return false
	}
	list, known := askLdconfig(context.Background(), t.env)
	return known && noted(list, cudaDriver) == ""
}
