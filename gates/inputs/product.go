package inputs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// ErrNoFile is what Examine's error wraps when there is something other than a
// plain file.
var ErrNoFile = errors.New("not a regular file")

// Product is a file that a build made.
type Product struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of its bytes
	// BuildID is what the linker put in: GNU's build id in hex, else the text that
	// the Go toolchain writes; "" where there is none.
	BuildID string    `json:"build-id,omitempty"`
	Bytes   int64     `json:"bytes"`
	Built   time.Time `json:"built"` // its modification time
}

// Examine reads a product once. It follows a symbolic link. The error wraps
// fs.ErrNotExist where nothing is, and the context's error when that ended it.
func Examine(ctx context.Context, path string) (Product, error) {
	// O_NONBLOCK: a pipe of that name must not hold us.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Product{}, fmt.Errorf("examine product: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNoFile
	}
	sum := sha256.New()
	var n int64
	if err == nil {
		n, err = io.Copy(sum, untilDone{ctx, f})
	}
	if err != nil {
		return Product{}, fmt.Errorf("examine product %s: %w", path, err)
	}
	return Product{
		Path: path, SHA256: hex.EncodeToString(sum.Sum(nil)), BuildID: buildID(f),
		Bytes: n, Built: info.ModTime(),
	}, nil
}

// untilDone is a reader that ends with its context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}
