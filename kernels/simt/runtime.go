package simt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed runtime/*.h runtime/*.cpp
var runtimeFiles embed.FS

// sum is the name of a content: the parts, each with its length so that none can run
// into the next.
func sum(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// runtimeSum names the content of the runtime.
func runtimeSum() (string, error) {
	var parts []string
	err := fs.WalkDir(runtimeFiles, "runtime", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := runtimeFiles.ReadFile(path)
		parts = append(parts, path, string(text))
		return err
	})
	return sum(parts...), err
}

// unpack puts the runtime's files below dir, in a directory of their content's name,
// where whoever comes first leaves them for all.
func unpack(dir, name string) (string, error) {
	to := filepath.Join(dir, "runtime", name)
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	err := arrive(to, func(tmp string) error {
		files, err := fs.Sub(runtimeFiles, "runtime")
		if err != nil {
			return err
		}
		return os.CopyFS(tmp, files)
	})
	if err != nil {
		return "", fmt.Errorf("unpack runtime: %w", err)
	}
	return to, nil
}

// arrive makes a directory whole or not at all: fill fills one beside it, which then
// takes its name, unless another process was faster with the same.
func arrive(to string, fill func(tmp string) error) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o777&^0o022); err != nil {
		return err
	}
	if err := os.Rename(tmp, to); err != nil {
		if _, there := os.Stat(to); there != nil {
			return err
		}
	}
	return nil
}
