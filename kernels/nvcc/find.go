package nvcc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Options says where to look, and for what.
type Options struct {
	Path        string        // the compiler itself, or the directory of a toolkit or environment that has it; "" to look for one
	Why         string        // who named Path; "" is "named by the flag"
	Version     string        // wanted: "13", "13.0" or "13.0.88"; "" is any
	Environment string        // the directory of a Python or conda environment to look in as well
	Root        string        // stands before every path looked at, for tests; "" is /
	Exec        Exec          // required
	Timeout     time.Duration // of each question to a compiler; 0 is 10 s
}

// Found is a compiler that can be used.
type Found struct {
	Path    string   // as it was found
	Version string   // "13.0.88"
	Why     string   // how it was found
	Env     []string // what its environment needs besides the caller's
	Args    []string // what each call of it needs before all else
	Tools   []string // the files that decide what it makes, itself first
	Plan    string   // a sum of the commands that it would run: its profile and variables of the environment change them
}

// Rejected is a place where a compiler was, or could have been.
type Rejected struct {
	Path, Why string
	Behind    bool // it was not looked at: another was taken before it
}

// ErrNone says that no usable compiler was found.
var ErrNone = errors.New("no usable nvcc was found")

// Find looks in the order of the flag, GPUCI_NVCC, CUDA_HOME and CUDA_PATH, PATH,
// /usr/local/cuda* (newest first), and NVIDIA's PyPI packages in the environments
// of VIRTUAL_ENV, CONDA_PREFIX and o.Environment. It asks each for its version and
// its own layout. What stands behind the one that was taken is listed unasked.
func Find(ctx context.Context, env []string, o Options) (Found, []Rejected, error) {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	l := look{ctx: ctx, o: o, env: env}
	var rejected []Rejected
	var found *Found
	for _, c := range l.places() {
		switch {
		case c.fault != "":
			rejected = append(rejected, Rejected{Path: c.path, Why: c.fault})
		case found != nil && l.same(c.path, found.Path):
			continue // the same one again, by another way
		case found != nil:
			rejected = append(rejected, Rejected{Path: c.path, Why: c.why, Behind: true})
			continue
		default:
			f, err := l.examine(c)
			if err == nil {
				found = &f
				continue
			}
			rejected = append(rejected, Rejected{Path: c.path, Why: c.why + ": " + err.Error()})
		}
		if c.named && found == nil {
			return Found{}, rejected, fmt.Errorf("use the compiler %s, %s: %s: name another, or none to look for one",
				c.path, c.why, strings.TrimPrefix(rejected[len(rejected)-1].Why, c.why+": "))
		}
	}
	if err := ctx.Err(); err != nil {
		return Found{}, rejected, fmt.Errorf("find nvcc: %w", err)
	}
	if found == nil {
		return Found{}, rejected, fmt.Errorf("find nvcc: %w: set GPUCI_NVCC to one, or install NVIDIA's packages in a virtual environment: %s", ErrNone, Install)
	}
	return *found, rejected, nil
}

// Install is what brings a whole compiler from PyPI, in the version that the oldest
// driver of CUDA 13, 580, runs the code of. CUDA 12's package of the same name has
// ptxas and no nvcc. The quotes keep shells from looking for files of these names.
const Install = "pip install 'nvidia-cuda-nvcc==13.0.*' 'nvidia-nvvm==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cccl==13.0.*'"
