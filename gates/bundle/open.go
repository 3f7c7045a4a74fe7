package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
)

// Self is the gpuci that runs from a bundle.
type Self struct {
	Version    string
	Executable string // its path
}

// Bundle is a bundle that was unpacked.
type Bundle struct {
	Manifest
	Root string // its directory, absolute
	ID   string
	self Self
}

// maxManifest is far more than any has: a bundle of 10,000 files has 2 MiB.
const maxManifest = 64 << 20

// Open reads the manifest of the bundle in a directory with a gpuci.toml; nil where that
// is none. A manifest that is not what it must be, or that is missing beside the marker,
// is a *gates.UnsoundError: what was packed runs as a bundle or not at all.
func Open(root string, self Self) (*Bundle, error) {
	path := filepath.Join(root, ManifestName)
	_, marked := os.Lstat(filepath.Join(root, Marker))
	home := marked == nil || sameFile(self.Executable, filepath.Join(root, Program))
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && marked == nil:
		return nil, unsound(gates.Broken, fmt.Sprintf("the bundle in %s has no %s, and what it was made of cannot be told", root, ManifestName), again)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // also a workspace in which gpuci is built
	case err == nil && !info.Mode().IsRegular() && !home:
		return nil, nil // somebody's own
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxManifest):
		return nil, unsound(gates.Broken, path+" is not the manifest of a bundle: it is no file, or far too large", again)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unsound(gates.Broken, fmt.Sprintf("the bundle cannot be read: %v", err), again)
	}
	if !home && !bytes.Contains(data, []byte(`"`+Type+`"`)) {
		return nil, nil
	}
	m, err := Parse(data)
	if err != nil {
		return nil, unsound(gates.Broken, fmt.Sprintf("the bundle in %s is not as it was packed: %v", root, err), again)
	}
	return &Bundle{Manifest: m, Root: root, ID: idOf(data), self: self}, nil
}

const again = "unpack the archive again, in another directory"

func unsound(o gates.Outcome, text, next string) error {
	return &gates.UnsoundError{Outcome: o, Text: text, Next: next}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Keep leaves of a configuration the gates of the bundle.
func (b *Bundle) Keep(cfg *config.Config) {
	cfg.Gates = slices.DeleteFunc(cfg.Gates, func(g config.Gate) bool { return b.gate(g.Name) == nil })
}

func (b *Bundle) gate(name string) *Gate {
	i := slices.IndexFunc(b.Gates, func(g Gate) bool { return g.Name == name })
	if i < 0 {
		return nil
	}
	return &b.Gates[i]
}

// Of is what a gate of the bundle is run with; nil for a gate that it has not.
func (b *Bundle) Of(name string) *gates.Bundled {
	g := b.gate(name)
	if g == nil {
		return nil
	}
	return &gates.Bundled{
		ID: b.ID, Commit: b.Commit, Branch: b.Branch, Changes: b.Changes, Changed: b.Changed, Tree: b.Tree,
		Carried: g.Carried, Sound: b.Sound,
	}
}
