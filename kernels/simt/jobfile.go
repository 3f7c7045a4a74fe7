package simt

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuci/kernels/launch"
)

// writeJob writes the job file, in the form that readJob in job.h says, and beside it
// a file of float32, little endian, for each buffer with data. A buffer that nobody
// may have changed has no file to come back in. The last line is "limit MILLISECONDS",
// how long one launch may take.
func writeJob(dir string, job launch.Job, workers int, limit time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "order %d\nworkers %d\nbuffers %d\n", job.Order, workers, len(job.Buffers))
	index := map[string]int{}
	for i, buffer := range job.Buffers {
		index[buffer.Name] = i
		in, out := "-", "-"
		if buffer.Data != nil {
			in = fmt.Sprintf("in%d", i)
			if err := writeFloats(filepath.Join(dir, in), buffer.Data); err != nil {
				return err
			}
		}
		if buffer.Role != launch.Input {
			out = fmt.Sprintf("out%d", i)
		}
		fmt.Fprintf(&b, "%s %s %d %s %s\n", buffer.Name, buffer.Role, buffer.Count, in, out)
	}
	fmt.Fprintf(&b, "launches %d\n", len(job.Launches))
	for _, l := range job.Launches {
		fmt.Fprintf(&b, "%s %s", l.Kernel, l.Phase)
		for _, n := range append(l.Grid[:], l.Block[:]...) {
			fmt.Fprintf(&b, " %d", n)
		}
		fmt.Fprintf(&b, " %d %d\n", l.Shared, len(l.Args))
		for _, a := range l.Args {
			switch {
			case a.Int != nil:
				fmt.Fprintf(&b, "int %d\n", *a.Int)
			case a.Float != nil:
				fmt.Fprintf(&b, "float %d\n", math.Float32bits(*a.Float))
			default:
				fmt.Fprintf(&b, "buffer %d\n", index[a.Buffer])
			}
		}
	}
	fmt.Fprintf(&b, "limit %d\n", max(limit.Milliseconds(), 1))
	return os.WriteFile(filepath.Join(dir, "job"), []byte(b.String()), 0o666)
}

func writeFloats(path string, data []float32) error {
	b := make([]byte, 0, 4*len(data))
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return os.WriteFile(path, b, 0o666)
}

// readBuffers reads the outputs and scratch that the runner has written.
func readBuffers(dir string, job launch.Job) (map[string][]float32, error) {
	buffers := map[string][]float32{}
	for i, buffer := range job.Buffers {
		if buffer.Role == launch.Input {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("out%d", i)))
		if err != nil {
			return nil, fmt.Errorf("read buffer %s: %w", buffer.Name, err)
		}
		if len(b) != 4*buffer.Count {
			return nil, fmt.Errorf("read buffer %s: %d bytes and not %d", buffer.Name, len(b), 4*buffer.Count)
		}
		data := make([]float32, buffer.Count)
		for n := range data {
			data[n] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*n:]))
		}
		buffers[buffer.Name] = data
	}
	return buffers, nil
}
