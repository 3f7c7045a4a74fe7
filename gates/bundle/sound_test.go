package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gpuci/gates"
)

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
