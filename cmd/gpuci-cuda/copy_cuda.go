//go:build cuda && cgo && linux

package main

import (
	"fmt"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
)

// copied times copies within the card's memory: what a kernel that only moves bytes
// reaches here and now.
func copied(w *writer, t cuda.Timing) error {
	free, _, err := cu.MemInfo()
	if err != nil {
		return told(err, "ask for the free memory")
	}
	size := min(t.Copy, free/4) &^ 255
	if size == 0 {
		return &cuda.Error{Code: cuda.OutOfMemory, Text: fmt.Sprintf("copy within the card: %d bytes are free, too few for two buffers", free)}
	}
	var at [2]cu.DevicePtr
	for i := range at {
		if at[i], err = cu.MemAlloc(size); err != nil {
			return told(err, "allocate %d bytes to copy", size)
		}
		if err := told(cu.MemsetD32(at[i], poison, size/4), "fill %d bytes to copy", size); err != nil {
			return err
		}
	}
	c := cuda.Copy{Bytes: size}
	for n := range t.WarmUps + t.Samples {
		ms, err := oneCopy(at, size)
		if err != nil {
			return err
		}
		if n >= t.WarmUps {
			c.Samples = append(c.Samples, ms)
		}
	}
	w.answer(cuda.Answer{Type: "copy", Copy: &c})
	for _, p := range at {
		if err := told(cu.MemFree(p), "free a buffer of copies"); err != nil {
			return err
		}
	}
	return nil
}

func oneCopy(at [2]cu.DevicePtr, size int64) (ms float64, err error) {
	var events [2]cu.Event
	for i := range events {
		if events[i], err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return 0, told(err, "make an event")
		}
		defer func() { _ = cu.DestroyEvent(&events[i]) }()
	}
	if err = told(events[0].Record(cu.NoStream), "record an event"); err != nil {
		return 0, err
	}
	if err = told(cu.MemcpyDtoDAsync(at[1], at[0], size, cu.NoStream), "copy within the card"); err != nil {
		return 0, err
	}
	if err = told(events[1].Record(cu.NoStream), "record an event"); err != nil {
		return 0, err
	}
	if err = told(events[1].Synchronize(), "copy within the card"); err != nil {
		return 0, err
	}
	ms, err = events[0].Elapsed(events[1])
	return ms, told(err, "read the time of a copy")
}
