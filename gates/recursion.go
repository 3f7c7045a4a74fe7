package gates

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// envWithin is the environment variable that lists the gates above a process, so
// that one that calls itself ends at once and not when the machine is full.
const envWithin = "GPUCI_WITHIN"

// key names this gate in the list: by its repository and its workspace's place there,
// whatever the lane. A scratch lane has a root that nobody had before, and a gate that
// falsifies itself would make one in the other until the machine is full.
func (f *flow) key() string {
	at := f.opt.Root
	if rel, err := filepath.Rel(f.opt.Lane.Root, f.opt.Root); f.opt.Lane.Root != "" && err == nil {
		at = f.opt.Lane.CommonDir + "\x00" + rel
	}
	sum := sha256.Sum256([]byte(at + "\x00" + f.gate.Name))
	return hex.EncodeToString(sum[:8])
}

func (f *flow) recursion() bool {
	return slices.Contains(strings.Split(os.Getenv(envWithin), ":"), f.key())
}
