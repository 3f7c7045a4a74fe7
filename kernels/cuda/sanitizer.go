package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"gpuci/kernels/launch"
)

// Tool is one of NVIDIA's compute-sanitizer.
type Tool string

// The tools.
const (
	Memcheck  Tool = "memcheck"  // accesses beyond an allocation or shared memory, and misaligned ones
	Racecheck Tool = "racecheck" // two threads on one word of shared memory; it says nothing of global memory
	Initcheck Tool = "initcheck" // reads of global memory that nobody wrote; it says nothing of shared memory
	Synccheck Tool = "synccheck" // barriers that some threads miss
)

// Tools are all of them.
func Tools() []Tool { return []Tool{Memcheck, Racecheck, Initcheck, Synccheck} }

// Sees is the kind of finding that the tool is there for.
func (t Tool) Sees() launch.Kind {
	switch t {
	case Racecheck:
		return launch.Race
	case Initcheck:
		return launch.Uninitialised
	case Synccheck:
		return launch.DivergentBarrier
	}
	return launch.OutOfBounds
}

// padding is how many bytes lie between two allocations under memcheck: without any, an
// access just beyond one is inside the next, and no error. The largest step that a
// kernel here is off by is a head, 512 rows of 128 floats.
const padding = 1 << 20

// flags are the tool's own. A call to the driver that failed is an answer to gpuci-cuda,
// which asks one cubin after the other for a kernel, and is no access of one.
func (t Tool) flags() []string {
	if t == Memcheck {
		return []string{"--report-api-errors", "no", "--padding", strconv.Itoa(padding)}
	}
	return nil
}

// sanitizer finds compute-sanitizer.
func (o Options) sanitizer() (string, error) {
	name := o.Sanitizer
	if name == "" {
		name = "compute-sanitizer"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("find compute-sanitizer: %w: %w; it comes with the CUDA toolkit", ErrNoProgram, err)
	}
	return filepath.Abs(path)
}

// watched runs a request under the tool. The report decides: where it is missing or
// breaks off, nothing was shown, whatever the exit code.
func (o Options) watched(ctx context.Context, request []byte) (answers, error) {
	path, err := o.sanitizer()
	if err != nil {
		return answers{}, err
	}
	dir, err := os.MkdirTemp(o.Dir, "sanitizer-")
	if err != nil {
		return answers{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "report")
	a, ran := o.run(ctx, append(append([]string{path, "--tool", string(o.Tool), "--log-file", file}, o.Tool.flags()...), o.Program), request)
	if errors.Is(ran, ErrNoCard) || errors.Is(ran, ErrNoProgram) || ctx.Err() != nil || errors.As(ran, new(*LimitError)) {
		return a, ran
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return a, errors.Join(fmt.Errorf("%w: %w", &ReportError{o.Tool, "there is none"}, err), ran)
	}
	report, err := ParseReport(o.Tool, string(text))
	if err != nil {
		return a, errors.Join(err, ran)
	}
	a.result.Findings = append(a.result.Findings, report...)
	if len(report) > 0 && crashed(ran) {
		a.result.Buffers = nil // the kernel was ended where the finding is
		return a, nil
	}
	return a, ran
}

// crashed says whether a run ended in a kernel, which the report then has a finding of.
func crashed(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && (refused.Code == Crash || refused.Code == OfDriver)
}

// ReportError is a tool's report from which nothing can be concluded.
type ReportError struct {
	Tool Tool
	Why  string
}

func (e *ReportError) Error() string {
	return fmt.Sprintf("read the report of compute-sanitizer --tool %s: %s; it proves nothing", e.Tool, e.Why)
}
