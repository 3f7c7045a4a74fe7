package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// programName is gpuci itself, in the directory of a program.
const programName = "gpuci"

// beside are the files that gpuci looks for beside itself: the shim of links, the library
// that the atlas loads, the program for kernels. What is not there, a node has not either.
var beside = []string{"gpuci-link", "libgpuci-trace.so", "gpuci-cuda"}

// putProgram copies gpuci and what belongs to it, once for each of its kind, and gives
// the hash of all of it.
func (s *Spool) putProgram() (hash string, err error) {
	if s.program != "" {
		return s.program, nil
	}
	self := s.o.Program
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return "", err
		}
	}
	files := map[string]string{programName: self}
	for _, name := range beside {
		if info, err := os.Stat(filepath.Join(filepath.Dir(self), name)); err == nil && info.Mode().IsRegular() {
			files[name] = filepath.Join(filepath.Dir(self), name)
		}
	}
	if hash, err = hashFiles(files); err != nil {
		return "", fmt.Errorf("hand over gpuci: %w", err)
	}
	dir := s.place.program(hash)
	whole := func() bool { return s.place.wholeProgram(hash) == nil }
	if !whole() { // it is tens of megabytes, which are read each time
		err = s.place.makeDir(dir, whole, func(part string) error {
			for name, from := range files {
				if err := copyFile(from, filepath.Join(part, name), 0o700); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = s.place.wholeProgram(hash) // gpuci can be replaced while it is copied
		}
	}
	if err != nil {
		return "", fmt.Errorf("hand over gpuci: %w", err)
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now)
	s.program = hash
	return hash, nil
}

func (p place) program(hash string) string { return filepath.Join(p.dir, "programs", hash) }

// wholeProgram says whether a program is what its hash says.
func (p place) wholeProgram(hash string) error {
	dir := p.program(hash)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	files := make(map[string]string)
	for _, e := range entries {
		if !e.Type().IsRegular() {
			return fmt.Errorf("%s is no file", filepath.Join(dir, e.Name()))
		}
		files[e.Name()] = filepath.Join(dir, e.Name())
	}
	got, err := hashFiles(files)
	if err == nil && got != hash {
		err = errors.New(dir + " is not what was copied there")
	}
	return err
}

// hashFiles is one hash of files by their names.
func hashFiles(files map[string]string) (string, error) {
	all := sha256.New()
	for _, name := range append([]string{programName}, beside...) {
		path, ok := files[name]
		if !ok {
			continue
		}
		sum, err := hashFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s %s\n", sum, name)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, sum, err := measure(f)
	return sum, err
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeTo(to, in, mode)
}
