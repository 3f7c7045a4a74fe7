package main

import (
	"context"
	"path/filepath"
	"strings"

	"gpuci/buildlock/shim"
	"gpuci/gates"
)

// cudaDriver is the library that each program loads to use a card.
const cudaDriver = "libcuda.so.1"

// noDriver says whether the loader has no driver of CUDA for the program, so far as that
// can be told from here: a container has its own.
func (t *tracing) noDriver() bool {
	list, _ := shim.Lookup(t.env, "LD_LIBRARY_PATH")
	for _, ldconfig := range []string{"/sbin/ldconfig", "/usr/sbin/ldconfig"} {
		a, err := gates.Ask(context.Background(), askTime, []string{ldconfig, "-p"}, "/", askEnv(t.env))
		if err == nil && a.Failed == "" {
			return !hasLibrary(cudaDriver, list, a.Text)
		}
	}
	return false // nobody knows
}

// hasLibrary says whether one is in a list of directories, or in what ldconfig -p says, whose
// lines are "NAME (KIND) => PATH".
func hasLibrary(name, directories, noted string) bool {
	for dir := range strings.SplitSeq(directories, ":") {
		if dir != "" && isFile(filepath.Join(dir, name)) {
			return true
		}
	}
	for line := range strings.Lines(noted) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == name {
			return true
		}
	}
	return false
}
