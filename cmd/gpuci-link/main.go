// Command gpuci-link stands in for compilers, linkers, compiler caches and
// cmake under their own names. A call that is no link becomes the real tool at
// once; a link waits for its turn on this machine first.

// The Go runtime would read the container's CPU limit from /proc and the
// cgroup file system at every start. A process that lives for a millisecond
// and has nothing to share out does not want to know.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"os"

	"gpuci/buildlock/shim/link"
)

func main() {
	os.Exit(link.Run(link.Call{Args: os.Args, Env: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}))
}
