package gates

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
)

// envWithin is the environment variable that lists the gates above a process, so
// that one that calls itself ends at once and not when the machine is full.
const envWithin = "GPUCI_WITHIN"

// key names this gate of this workspace in the list.
func (f *flow) key() string {
	sum := sha256.Sum256([]byte(f.opt.Root + "\x00" + f.gate.Name))
	return hex.EncodeToString(sum[:8])
}

func (f *flow) recursion() bool {
	return slices.Contains(strings.Split(os.Getenv(envWithin), ":"), f.key())
}
