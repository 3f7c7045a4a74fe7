//go:build cuda && cgo && linux

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
)

// writer writes answers, and keeps the first error of doing so.
type writer struct {
	to  *bufio.Writer
	err error
}

func newWriter(w io.Writer) *writer { return &writer{to: bufio.NewWriterSize(w, 1<<20)} }

func (w *writer) answer(a cuda.Answer) {
	if w.err == nil {
		w.err = json.NewEncoder(w.to).Encode(a)
	}
}

// end writes the last answer, and gives the exit code.
func (w *writer) end(a cuda.Answer) int {
	w.answer(a)
	if w.err == nil {
		w.err = w.to.Flush()
	}
	if w.err != nil {
		fmt.Fprintln(os.Stderr, "gpuci-cuda: write answers:", w.err)
		return 1
	}
	if a.Type == "error" {
		return a.Code.Exit()
	}
	return 0
}

// refuse writes an error as the last answer.
func (w *writer) refuse(err error) int {
	var e *cuda.Error
	if !errors.As(err, &e) {
		e = &cuda.Error{Code: cuda.OfDriver}
	}
	return w.end(cuda.Answer{Type: "error", Code: e.Code, Text: err.Error()})
}

// told is an error of the driver's with what was tried, by its kind.
func told(err error, what string, args ...any) error {
	if err == nil {
		return nil
	}
	code := cuda.OfDriver
	switch err {
	case cu.OutOfMemory:
		code = cuda.OutOfMemory
	case cu.NoBinaryForGpu:
		code = cuda.WrongArch
	case cu.InvalidImage, cu.FileNotFound, cu.InvalidSource, cu.InvalidPtx:
		code = cuda.NoCubin
	case cu.NotFound:
		code = cuda.NoEntry
	case cu.NoDevice, cu.InvalidDevice, cu.NotInitialized:
		code = cuda.NoDriver
	case cu.LaunchOutOfResources:
		code = cuda.TooMuch
	case cu.IllegalAddress, cu.MisalignedAddress, cu.IllegalInstruction, cu.InvalidAddressSpace, cu.InvalidPc,
		cu.HardwareStackError, cu.LaunchFailed, cu.LaunchTimeout, cu.Assert:
		code = cuda.Crash
	}
	return &cuda.Error{Code: code, Text: fmt.Sprintf(what, args...) + ": " + err.Error()}
}
