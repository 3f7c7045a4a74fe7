package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// maker is an installation of shims for the tools of a shelf.
func (s shelf) maker(t *testing.T, path string) Install {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Install{Program: self, Env: s.env(path, "-"), Base: s.root + "/data"}
}

func TestMake(t *testing.T) {
	s := newShelf(t)
	in := s.maker(t, "shims:llvm:bin")
	in.LockDir, in.Links = "/locks", 2
	d, err := in.Make()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ccache", "cmake", "gcc", "ld", "ld.lld", "make", "mold", "nvcc"}, d.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	got, err := Home(d.Path).Settings()
	if diff := cmp.Diff(Settings{"/locks", 2, s.list("llvm:bin")}, got); diff != "" || err != nil {
		t.Errorf("settings: %v (-want +got):\n%s", err, diff)
	}
	again, err := in.Make()
	if diff := cmp.Diff(d, again); diff != "" || err != nil {
		t.Errorf("made again: %v\n%s", err, diff)
	}
	in.Links = 1
	other, err := in.Make()
	if err != nil || other.Path == d.Path {
		t.Errorf("other settings, the same directory %s, %v", other.Path, err)
	}
	s.clean(t)
}

// clean checks that no maker left anything unfinished.
func (s shelf) clean(t *testing.T) {
	t.Helper()
	left, _ := filepath.Glob(s.root + "/data/" + unfinished + "*")
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestMakeRepairs: a directory that somebody removed a file from is made anew.
func TestMakeRepairs(t *testing.T) {
	s := newShelf(t)
	in := s.maker(t, "bin")
	d, err := in.Make()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gcc", ProgramName, markerName} {
		if err := os.Remove(filepath.Join(d.Path, name)); err != nil {
			t.Fatal(err)
		}
		if again, err := in.Make(); err != nil || again.Path != d.Path {
			t.Errorf("without %s: %v, %v", name, again.Path, err)
		}
		s.wantWhole(t, in.Program, d.Path)
	}
	s.clean(t)
}

// TestMakeAlias: cc leads to the shim of what it really is, because ccache
// follows links until a name tells it the kind of compiler.
func TestMakeAlias(t *testing.T) {
	s := newShelf(t)
	for _, name := range []string{"cc", "c++"} {
		if err := os.Symlink("gcc", s.root+"/bin/"+name); err != nil {
			t.Fatal(err)
		}
	}
	d, err := s.maker(t, "bin").Make()
	if err != nil {
		t.Fatal(err)
	}
	to, err := os.Readlink(d.Path + "/cc")
	if to != "gcc" || err != nil {
		t.Errorf("cc leads to %q, %v", to, err)
	}
}

func TestMakeRefuses(t *testing.T) {
	s := newShelf(t)
	in := s.maker(t, "bin")
	for _, dir := range []string{"/a b", "/a:b", "/a%b"} {
		in.Base = s.root + dir
		if d, err := in.Make(); err == nil {
			t.Errorf("made %s", d.Path)
		}
	}
	in.Base = s.root + "/open"
	if err := os.Mkdir(in.Base, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(in.Base, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Make(); err == nil || !strings.Contains(err.Error(), "XDG_DATA_HOME") {
		t.Errorf("in a directory that others can write: %v", err)
	}
}
