package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "repo", "crates", "kernels")
	if err := os.MkdirAll(filepath.Join(deep, FileName), 0o755); err != nil { // a directory of that name is no workspace
		t.Fatal(err)
	}
	link := filepath.Join(top, "link")
	if err := os.Symlink(filepath.Join(top, "repo"), link); err != nil {
		t.Fatal(err)
	}
	above := filepath.Join(top, FileName)
	write(t, above, "")
	if got, err := Find(deep, ""); err != nil || got != above {
		t.Errorf("Find(%q) = %q, %v, want %q", deep, got, err, above)
	}
	for _, dir := range []string{deep, filepath.Join(link, "crates")} {
		if got, err := Find(dir, filepath.Join(top, "repo")); !errors.Is(err, ErrNotFound) {
			t.Errorf("Find(%q) below a repository without a file = %q, %v, want ErrNotFound", dir, got, err)
		}
	}
	nearer := filepath.Join(top, "repo", FileName)
	write(t, nearer, "")
	if got, err := Find(deep, filepath.Join(top, "repo")); err != nil || got != nearer {
		t.Errorf("Find(%q) = %q, %v, want %q", deep, got, err, nearer)
	}
}

// TestFindHint: the file that the error gives is one that loads, and has the
// tests of what is there.
func TestFindHint(t *testing.T) {
	for _, c := range []struct {
		files       []string
		from        string
		run, reader string
		dir         string
	}{
		{nil, "", "make test", "none", "."},
		{[]string{"Cargo.toml"}, "", "cargo test", "libtest", "."},
		{[]string{"go.mod"}, "a/b", "go test ./...", "gotest", "."},
		{[]string{"go.mod", "Cargo.toml"}, "", "cargo test", "libtest", "."},
		{[]string{"go.mod", "a/Cargo.toml"}, "a", "go test ./...", "gotest", "."},
		{[]string{"a/Cargo.toml"}, "a/b", "cargo test", "libtest", "a"},
	} {
		top := t.TempDir()
		if err := os.MkdirAll(filepath.Join(top, "a/b"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.files {
			write(t, filepath.Join(top, name), "")
		}
		_, err := Find(filepath.Join(top, c.from), top)
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), top) {
			t.Fatalf("%+v: Find without a file gave %v", c, err)
		}
		_, file, ok := strings.Cut(err.Error(), "\n\n")
		if !ok {
			t.Fatalf("no file in %q", err)
		}
		src := sourcesIn(top)
		write(t, src.Workspace, file)
		g, ok := mustLoad(t, src).Gate("tests")
		if !ok || len(g.Run) != 1 || strings.Join(g.Run[0].Argv, " ") != c.run || g.Reader != c.reader || g.Dir != c.dir {
			t.Errorf("%+v: the file gave the gate %+v", c, g)
		}
	}
	for _, name := range []string{"go.mod", "Cargo.toml"} { // outside git
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), "")
		want := map[string]string{"go.mod": "gotest", "Cargo.toml": "libtest"}[name]
		if _, err := Find(dir, ""); err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "dir =")) {
			t.Errorf("outside git: %v", err)
		}
	}
}

func TestDefaultSources(t *testing.T) {
	t.Setenv("HOME", "/home/alice")
	for _, tt := range []struct{ machine, xdg, wantMachine, wantPersonal string }{
		{"", "", "/etc/gpuci.toml", "/home/alice/.config/gpuci/config.toml"},
		{"/tmp/m.toml", "/xdg", "/tmp/m.toml", "/xdg/gpuci/config.toml"},
		{"", "relative", "/etc/gpuci.toml", "/home/alice/.config/gpuci/config.toml"},
	} {
		t.Setenv("GPUCI_MACHINE_FILE", tt.machine)
		t.Setenv("XDG_CONFIG_HOME", tt.xdg)
		want := Sources{Machine: tt.wantMachine, Named: tt.machine != "", Personal: tt.wantPersonal, Workspace: "w"}
		if d := cmp.Diff(want, DefaultSources("w")); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	}
}

func TestNear(t *testing.T) {
	c := &Config{Gates: []Gate{{Name: "fused-adjoint"}, {Name: "fused-library"}, {Name: "fused-forward"}, {Name: "oracle"}, {Name: "adjoint"}}}
	for name, want := range map[string][]string{
		"fused-adjiont": {"fused-adjoint", "adjoint"},
		"Oracle":        {"oracle"},
		"fused":         {"fused-adjoint", "fused-library", "fused-forward"},
		"nightly":       nil,
		"":              nil,
	} {
		got := c.Near(name)
		if name == "fused-adjiont" { // how far down the list the second comes is no promise
			got = got[:1]
			want = want[:1]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("Near(%q): -want +got\n%s", name, d)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"run", "rnu", 1}, {"min-test", "min-tests", 1},
		{"kitten", "sitting", 3}, {"größe", "groesse", 4}, {"ab", "ba", 1},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance(tt.b, tt.a); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
