//go:build cuda && cgo && linux

// Command gpuci-cuda runs one job of kernels on an NVIDIA card: it reads a JSON value
// from standard input and writes answers as lines of JSON, as package kernels/cuda has
// them. It is a program of its own because gorgonia.org/cu ends its process where there
// is no driver, and because one illegal address ruins a CUDA context for good. Where
// there is no driver it says so and exits 69; driver.c does that, before anything else.
//
// It does not guard itself against a kernel that never ends: whoever started it does.
package main

// #include <stdlib.h>
import "C"

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"gpuci/kernels/cuda"
)

// main leaves as C programs do: what a profiler or a sanitizer has put into this process
// writes its summary when libc ends it.
func main() { C.exit(C.int(run())) }

// run keeps standard output to the answers: what a kernel prints goes to standard error.
func run() int {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.Dup2(2, 1)
	}
	if err != nil {
		os.Stderr.WriteString("gpuci-cuda: take standard output: " + err.Error() + "\n")
		return 1
	}
	go endWithReader(fd)
	w := newWriter(os.NewFile(uintptr(fd), "answers"))
	if err := serve(os.Stdin, w); err != nil {
		return w.refuse(err)
	}
	return w.end(cuda.Answer{Type: "done"})
}

// endWithReader ends us when nobody reads our answers any more: whoever asked was
// killed, and a kernel that never ends would hold the card for good.
func endWithReader(fd int) {
	for {
		list := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(list, -1); err != nil && err != syscall.EINTR {
			return
		}
		if list[0].Revents&(unix.POLLERR|unix.POLLNVAL) != 0 {
			os.Exit(1)
		}
		if list[0].Revents != 0 {
			return // of something that is no pipe
		}
	}
}
