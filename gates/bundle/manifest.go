package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
)

const (
	// ManifestName is the manifest's file, beside gpuci.toml.
	ManifestName = "MANIFEST.json"
	// Marker is a file of every bundle, whose presence alone says that the directory is
	// one: without its manifest nothing of it runs.
	Marker = ".gpuci-bundle"
	// Type is the type of a manifest.
	Type = "gpuci-bundle"
	// Program is gpuci itself in a bundle.
	Program = "gpuci"

	schema = 1

	// markText is what the marker has in it.
	markText = "gpuci kernels bundle packed this directory; " + ManifestName + " says of what.\n"
)

// Manifest says what is in a bundle, and what it was made of.
type Manifest struct {
	Type    string   `json:"type"` // always Type
	Schema  int      `json:"schema"`
	Name    string   `json:"name"`             // of the workspace
	Gpuci   string   `json:"gpuci"`            // its version
	Arch    string   `json:"arch"`             // GOARCH of it
	Commit  string   `json:"commit,omitempty"` // "" outside of git
	Branch  string   `json:"branch,omitempty"`
	Changes string   `json:"changes,omitempty"` // hash of what was not committed
	Changed []string `json:"changed,omitempty"` // the first of those paths
	Tree    string   `json:"tree,omitempty"`
	Gates   []Gate   `json:"gates"`
	Files   []File   `json:"files"`          // sorted by path
	Dirs    []string `json:"dirs,omitempty"` // that gates stand in or name, and of which there is no file
}

// Gate is a gate of a bundle.
type Gate struct {
	Name   string `json:"name"`
	Config string `json:"config"` // hash of its settings where it was built
	gates.Carried
}

// File is a file of a bundle.
type File struct {
	Path   string `json:"path"` // from the directory of the bundle, with slashes
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Exec   bool   `json:"exec,omitempty"`
	Binary *Needs `json:"binary,omitempty"` // of a program or library in machine code
}

// Parse reads a manifest, and refuses one that cannot have been made by this package,
// or leads out of its directory.
func Parse(data []byte) (Manifest, error) {
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&m)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind it")
		}
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", ManifestName, err)
	}
	return m, nil
}

func (m *Manifest) check() error {
	switch {
	case m.Type != Type:
		return fmt.Errorf("its type is %q, not %q", m.Type, Type)
	case m.Schema != schema:
		return fmt.Errorf("it is of form %d, and this gpuci reads form %d: run the gpuci that lies beside it", m.Schema, schema)
	case len(m.Gates) == 0:
		return errors.New("it names no gate")
	}
	seen := map[string]bool{ManifestName: true}
	for _, f := range m.Files {
		if err := local(f.Path); err != nil {
			return err
		}
		if seen[f.Path] {
			return fmt.Errorf("it has %q twice", f.Path)
		}
		seen[f.Path] = true
		if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != sha256.Size || f.Bytes < 0 {
			return fmt.Errorf("size or hash of %q is none", f.Path)
		}
	}
	paths := slices.Clone(m.Dirs)
	for _, g := range m.Gates {
		paths = append(paths, g.KernelFiles...)
	}
	for _, p := range paths {
		if err := local(p); err != nil {
			return err
		}
	}
	return nil
}

// local says whether a path stays in the directory of the bundle, and is written in the
// one way there is.
func local(p string) error {
	if !filepath.IsLocal(p) || p == "." || path.Clean(p) != p || strings.ContainsAny(p, "\\\x00") {
		return fmt.Errorf("the path %q is not one below its directory", p)
	}
	return nil
}

// data is the manifest as it is packed, and id the bundle's.
func (m *Manifest) data() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", ManifestName, err)
	}
	return append(data, '\n'), nil
}

// idOf is the id of the bundle with this manifest.
func idOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
