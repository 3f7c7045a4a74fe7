package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// measure is the size and the SHA-256 of what is read.
func measure(r io.Reader) (n int64, sum string, err error) {
	h := sha256.New()
	n, err = io.Copy(h, r)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// writeTo makes a file of what is read.
func writeTo(path string, r io.Reader, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// putFile copies what is read to a file, and measures it on the way.
func putFile(path string, r io.Reader) (file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return file{}, err
	}
	n, sum, err := measure(io.TeeReader(r, f))
	return file{Bytes: n, SHA256: sum}, errors.Join(err, f.Close())
}
