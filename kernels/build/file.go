package build

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gpuci/kernels/cache"
)

// file is one reading of a file.
type file struct {
	Stamp   stamp
	Sum     cache.Sum
	Scanned *scanned // nil of one that is no source
	Settled bool     // the reading holds as long as the stamp does

	at time.Time // since when this build knows of it
}

// errChanging says that a file was written to while it was read.
var errChanging = errors.New("it is being written")

// readFile reads a file whole. Tools and outputs are only summed.
func readFile(path string, scans bool) (*file, error) {
	begun := time.Now()
	f := &file{at: begun}
	open, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	before, err := open.Stat()
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", path)
	}
	f.Stamp = stampOf(before)
	f.Settled = f.Stamp.settled(begun)
	if scans {
		text, err := io.ReadAll(open)
		if err != nil {
			return nil, err
		}
		s := scan(text)
		f.Sum, f.Scanned = cache.SumOf(text), &s
	} else {
		h := sha256.New()
		if _, err := io.Copy(h, open); err != nil {
			return nil, err
		}
		f.Sum = cache.Sum(hex.EncodeToString(h.Sum(nil)))
	}
	if after, err := open.Stat(); err != nil || stampOf(after) != f.Stamp {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, errChanging), err)
	}
	return f, nil
}
