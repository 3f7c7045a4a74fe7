package cuda

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

// Options say how gpuci-cuda is run.
type Options struct {
	Program string   // the path of gpuci-cuda; required: [Find] looks for one
	Env     []string // its environment; nil: ours. CUDA_VISIBLE_DEVICES chooses the card

	// Limit is how long one job may take in all; 0 is five minutes, and 20 under a tool,
	// which makes kernels up to a few hundred times slower.
	Limit time.Duration

	Tool      Tool   // of compute-sanitizer; "" runs without one
	Sanitizer string // the path of compute-sanitizer; "" looks for it in PATH
	Dir       string // where reports of a tool are kept while they are read; "" is the system's
}

// ErrNoProgram says that there is no gpuci-cuda, or no compute-sanitizer.
var ErrNoProgram = errors.New("no such program")

// ErrNoCard says that there is no driver here, or no card, or none that works.
var ErrNoCard = errors.New("no NVIDIA card can be used here")

// LimitError is a job that was not through when its time was up, as one with a kernel
// that waits for ever is not.
type LimitError struct {
	Limit   time.Duration
	Kernels []string // of the job
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("kernels %v were not through after %v, and gpuci-cuda was ended; look for a loop or a barrier that waits for ever", e.Kernels, e.Limit)
}

// Find looks for gpuci-cuda: the one that is named, else beside the program at self,
// else in PATH.
func Find(named, self string) (string, error) {
	if named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("find gpuci-cuda: %s is %w: %w", named, ErrNoProgram, err)
		}
		return filepath.Abs(path)
	}
	if self != "" {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), "gpuci-cuda")); err == nil {
			return filepath.Abs(path)
		}
	}
	path, err := exec.LookPath("gpuci-cuda")
	if err != nil {
		return "", fmt.Errorf("find gpuci-cuda: %w beside gpuci or in PATH", ErrNoProgram)
	}
	return filepath.Abs(path)
}

func (o Options) limit() time.Duration {
	switch {
	case o.Limit > 0:
		return o.Limit
	case o.Tool != "":
		return 20 * time.Minute
	}
	return 5 * time.Minute
}
