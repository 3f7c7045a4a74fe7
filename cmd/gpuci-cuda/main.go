//go:build !(cuda && cgo && linux)

// Command gpuci-cuda runs jobs of kernels on an NVIDIA card. This is what is built
// without the tag cuda: it says how the real one is made.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"gpuci/kernels/cuda"
)

const how = "this build of gpuci-cuda has no CUDA in it; make cuda, in gpuci's repository, builds one that has (it needs cgo and the headers of CUDA 12 or 13, and no card)"

// main answers as the real one does where it cannot work.
func main() {
	fmt.Fprintln(os.Stderr, "gpuci-cuda: "+how)
	_ = json.NewEncoder(os.Stdout).Encode(cuda.Answer{Type: "error", Code: cuda.NoCUDA, Text: how})
	os.Exit(cuda.NoCUDA.Exit())
}
