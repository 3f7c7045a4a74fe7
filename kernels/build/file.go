package build

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

// maxSource is the size in bytes of a source that is read for what it mentions, and far
// above any.
const maxSource = 256 << 20

// ReadFile reads a file whole, links followed. What is no regular file, or has more than
// limit bytes, is an error at once.
func ReadFile(path string, limit int64) ([]byte, error) { return cache.ReadRegular(path, limit) }

// readFile reads a file whole. Tools and outputs are only summed.
func readFile(path string, scans bool) (*file, error) {
	begun := time.Now()
	f := &file{at: begun}
	open, before, err := cache.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	f.Stamp = stampOf(before)
	f.Settled = f.Stamp.settled(begun)
	if scans {
		text, err := io.ReadAll(io.LimitReader(open, maxSource+1))
		if err != nil {
			return nil, err
		}
		if len(text) > maxSource {
			return nil, fmt.Errorf("read %s: it has more than %d bytes", path, maxSource)
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
