//go:build !(cuda && cgo && linux)

// Command gpuci-cuda runs jobs of kernels on an NVIDIA card. This is what is built
// without the tag cuda: it says how the real one is made.
package main

import (
	"fmt"
	"os"
)

// exitUnfit is the exit code for what this program cannot do here.
const exitUnfit = 69

func main() {
	fmt.Fprintln(os.Stderr, "gpuci-cuda: this build has no CUDA in it; make cuda, in gpuci's repository, builds one that has (it needs cgo and the headers of CUDA 12 or 13, and no card)")
	os.Exit(exitUnfit)
}
