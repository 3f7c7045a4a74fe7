package gates

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// maxDigest bounds the programs that are read to be known again, in bytes: larger
// ones are known by size and time.
const maxDigest = 64 << 20

// digest stands for the version of a program that is not asked for one. It is ""
// where the file cannot be read.
func digest(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return ""
	case info.Size() > maxDigest:
		return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return "sha256 " + hex.EncodeToString(sum.Sum(nil)[:6])
}
