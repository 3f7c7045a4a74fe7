package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
)

const workspace = `
[workspace]
name = "w"

[[gate]]
name = "g"
run = ["bin/g", "--data=data/a.txt", "out"]
reader = "none"
bundle = ["data/**/*.bin"]
`

// making lays a workspace out, as it is when its gate was built.
func making(t *testing.T) Making {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		config.FileName: workspace, "bin/g": "#!/bin/sh\ncat data/b.txt\n", "data/a.txt": "a", "data/b.txt": "b", "data/x/y/c.bin": "b", "data/left.txt": "not named", "tool": "gpuci",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bin/g", "tool"} {
		if err := os.Chmod(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{Workspace: filepath.Join(root, config.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	v, c := gates.BuildOnly(t.Context(), gates.Options{Gate: cfg.Gates[0], Root: root, Workspace: cfg, State: t.TempDir()})
	if v.Outcome != gates.Green || len(v.Bound.Products) != 1 {
		t.Fatalf("%s, %v, %v", v.Outcome, v.Findings, v.Bound.Products)
	}
	return Making{Config: cfg, Gates: []Built{{cfg.Gates[0], v, c}}, Version: "v1", Program: filepath.Join(root, "tool")}
}

func written(t *testing.T, o Making) []byte {
	t.Helper()
	p, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var b bytes.Buffer
	if err := p.WriteZipped(t.Context(), &b, "w"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The same files make the same bytes, whenever and by whomever they were written.
func TestSameBytes(t *testing.T) {
	o := making(t)
	first := written(t, o)
	old := time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC)
	for _, name := range []string{"bin/g", "data/a.txt", config.FileName} {
		if err := os.Chtimes(filepath.Join(o.Config.Root, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first, written(t, o)) {
		t.Error("two archives of the same files differ")
	}
	zip, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if (h.Typeflag == tar.TypeLink) != (h.Name == "w/data/x/y/c.bin") || h.Typeflag == tar.TypeLink && h.Linkname != "w/data/b.txt" {
			t.Errorf("%s is of kind %c, to %s", h.Name, h.Typeflag, h.Linkname)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || !h.ModTime.Equal(made) {
			t.Errorf("%+v", h)
		}
		if run := h.Name == "w/bin/g" || h.Name == "w/gpuci"; h.Typeflag == tar.TypeReg && (h.Mode == 0o755) != run {
			t.Errorf("%s has mode %o", h.Name, h.Mode)
		}
	}
	want := []string{"w/", "w/bin/", "w/data/", "w/data/x/", "w/data/x/y/", "w/out/", "w/MANIFEST.json", "w/.gpuci-bundle", "w/bin/g", "w/data/a.txt", "w/data/b.txt", "w/data/x/y/c.bin", "w/gpuci", "w/gpuci.toml"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// What changes between a look and the next one is never packed as what it was.
func TestChangedMeanwhile(t *testing.T) {
	o := making(t)
	p, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := os.WriteFile(filepath.Join(o.Config.Root, "data/a.txt"), []byte("A"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(t.Context(), io.Discard, "w"); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "data/a.txt") {
		t.Errorf("a file that changed while it was packed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(o.Config.Root, "bin/g"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if p, err := Plan(o); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "bin/g") {
		t.Errorf("a product that is not what was built: %v", err)
		if p != nil {
			_ = p.Close()
		}
	}
}

// A link out of the workspace is not followed: what it leads to is not the lane's.
func TestLinkOut(t *testing.T) {
	o := making(t)
	path := filepath.Join(o.Config.Root, "data/a.txt")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	if p, err := Plan(o); err == nil {
		_ = p.Close()
		t.Error("a link to /etc/passwd was packed")
	}
}

// What cannot be packed is said of its gate; the archive before this one is left out, and
// links that stay in the workspace are followed.
func TestNotPacked(t *testing.T) {
	o := making(t)
	top := func(name string) string { return filepath.Join(o.Config.Root, name) }
	o.Gates[0].Gate.Bundle = []string{"*.tar", "data/linked"}
	o.Out = top("before.tar")
	if err := errors.Join(os.WriteFile(o.Out, []byte("x"), 0o644), os.Symlink(top("data/b.txt"), top("data/linked"))); err != nil {
		t.Fatal(err)
	}
	first := written(t, o)
	if err := os.WriteFile(o.Out, first, 0o644); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, written(t, o)) {
		t.Error("the archive before this one is packed")
	}
	for _, name := range []string{ManifestName, Marker} {
		if err := os.WriteFile(top(name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		o.Gates[0].Gate.Bundle = []string{name}
		var no *gates.NotBundledError
		if p, err := Plan(o); !errors.As(err, &no) || no.Gate != "g" || !strings.Contains(no.Text, name) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}
