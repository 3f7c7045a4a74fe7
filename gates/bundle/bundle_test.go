package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// unpacked lays a bundle out as tar does.
func unpacked(t *testing.T, o Making) *Bundle {
	t.Helper()
	p, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var b bytes.Buffer
	if err := p.Write(t.Context(), &b, "w"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			err = os.Mkdir(path, 0o755)
		} else if h.Typeflag == tar.TypeLink {
			err = os.Link(filepath.Join(dir, h.Linkname), path)
		} else if data, rerr := io.ReadAll(r); rerr == nil {
			err = os.WriteFile(path, data, h.FileInfo().Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(dir, "w")
	bundle, err := Open(root, Self{"v1", filepath.Join(root, Program)})
	if err != nil || bundle == nil || bundle.ID != p.ID {
		t.Fatalf("%v, %v", bundle, err)
	}
	return bundle
}

// What does not fit the machine, or is not what was packed, is named, with its outcome.
func TestSound(t *testing.T) {
	b := unpacked(t, making(t))
	if came, err := b.Sound(t.Context()); err != nil || len(came) > 0 {
		t.Fatal(came, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := b.Sound(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	for name, tc := range map[string]struct {
		do   func(*Bundle)
		want gates.Outcome
		says string
	}{
		"architecture": {func(b *Bundle) { b.Arch = "mips" }, gates.Refused, "for mips"},
		"glibc":        {func(b *Bundle) { b.Files[1].Binary = needsOfSelf(t); b.Files[1].Binary.Glibc = "2.99" }, gates.Refused, "bin/g needs glibc 2.99, and here is 2."},
		"loader":       {func(b *Bundle) { b.Files[1].Binary = needsOfSelf(t); b.Files[1].Binary.Loader = "/lib/none.so" }, gates.Refused, "bin/g needs /lib/none.so"},
		"machine code": {func(b *Bundle) { b.Files[1].Binary = &Needs{Arch: "EM_MIPS"} }, gates.Refused, "bin/g is for EM_MIPS"},
		"gpuci":        {func(b *Bundle) { b.self = Self{"v2", "/bin/sh"} }, gates.Refused, "version v2"},
		"mode":         {func(b *Bundle) { b.Files[2].Exec = true }, gates.Broken, "data/a.txt is not executable"},
		"content":      {func(b *Bundle) { b.Files[2].SHA256 = b.Files[1].SHA256 }, gates.Broken, "data/a.txt is not what was packed"},
	} {
		other := *b
		other.Files = slices.Clone(b.Files)
		tc.do(&other)
		var unsound *gates.UnsoundError
		if _, err := other.Sound(t.Context()); !errors.As(err, &unsound) || unsound.Outcome != tc.want || !strings.Contains(unsound.Text, tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// needsOfSelf reads the test's own program, which is linked to glibc by the race
// detector, or else sh.
func needsOfSelf(t *testing.T) *Needs {
	t.Helper()
	for _, path := range []string{"/proc/self/exe", "/bin/sh"} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n := needsOf(f)
		_ = f.Close()
		if n != nil && n.Glibc != "" && n.Loader != "" && n.Arch == machines[runtime.GOARCH] && n.unfit() == "" {
			return n
		}
	}
	t.Fatal("neither this test nor sh is linked to glibc")
	return nil
}

// No manifest, however it was made, leads out of its directory.
func FuzzParse(f *testing.F) {
	const sum = `"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`
	for _, path := range []string{"a", "a/../../b", "/a", `a\\b`, "", ".", "a//b", "a/", "MANIFEST.json", "../a"} {
		f.Add([]byte(`{"type":"gpuci-bundle","schema":1,"gates":[{"name":"g","kernel-files":["` + path + `"]}],"files":[{"path":"` + path + `",` + sum + `,"bytes":0}],"dirs":["` + path + `"]}`))
	}
	f.Add([]byte(`{"type":"gpuci-bundle","schema":2}`))
	f.Add([]byte(`{"type":"gpuci-bundle","schema":1,"gates":[{}],"files":[]} x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		for _, file := range m.Files {
			joined := filepath.Join("/bundle", filepath.FromSlash(file.Path))
			if !strings.HasPrefix(joined, "/bundle/") || seen[joined] || file.Path == ManifestName {
				t.Errorf("%q was accepted", file.Path)
			}
			seen[joined] = true
		}
		again, err := m.data()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(again); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}

// A bundle that lost its manifest is none that runs, and what came to one is told.
func TestCame(t *testing.T) {
	b := unpacked(t, making(t))
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(b.Root, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("data/new.txt", "x")
	put("out/lib.sh", "true\n")
	if came, err := b.Sound(t.Context()); err != nil || !slices.Equal(came, []string{"data/new.txt", "out/lib.sh"}) {
		t.Errorf("%q, %v", came, err)
	}
	for says, text := range map[string]string{"bin/lib.so is not of the bundle, and is machine code": "\x7fELF\x02", "bin/lib.so is not of the bundle, and is a script": "#!/bin/sh\n"} {
		path := put("bin/lib.so", text)
		if _, err := b.Sound(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	other := Self{"v1", "/bin/sh"}
	for _, text := range []string{"", "{}", `{"type":"other"}`} {
		put(ManifestName, text)
		if b, err := Open(b.Root, other); !errors.As(err, new(*gates.UnsoundError)) {
			t.Errorf("manifest %q: %v, %v", text, b, err)
		}
	}
	if err := os.Remove(filepath.Join(b.Root, ManifestName)); err != nil {
		t.Fatal(err)
	}
	var unsound *gates.UnsoundError
	if b, err := Open(b.Root, other); !errors.As(err, &unsound) || unsound.Outcome != gates.Broken || !strings.Contains(unsound.Text, "has no MANIFEST.json") {
		t.Errorf("without a manifest: %v, %v", b, err)
	}
	if b, err := Open(t.TempDir(), other); b != nil || err != nil {
		t.Errorf("what is no bundle: %v, %v", b, err)
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
