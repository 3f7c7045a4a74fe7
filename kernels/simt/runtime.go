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

// unpack puts the runtime's files below dir, in a directory of their content's name.
func unpack(dir string) (string, error) {
	files, err := fs.Sub(runtimeFiles, "runtime")
	if err != nil {
		return "", err
	}
	var parts []string
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		parts = append(parts, path, string(text))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read runtime: %w", err)
	}
	to, err := keep(filepath.Join(dir, "runtime"), sum(parts...), func(tmp string) error { return os.CopyFS(tmp, files) })
	if err != nil {
		return "", fmt.Errorf("unpack runtime: %w", err)
	}
	return to, nil
}
