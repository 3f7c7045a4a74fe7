package shim

import (
	"io"
	"os"
	"testing"
)

// TestIdentity: the identity of a shim is that of the tool behind it.
func TestIdentity(t *testing.T) {
	s := newShelf(t)
	env := s.env("shims:masquerade:bin", "-")
	identity := func(path string, byContent bool) string {
		t.Helper()
		id, err := Identity(path, env, s.home, byContent)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	real := identity(s.root+"/bin/gcc", false)
	if got := identity(s.root+"/shims/gcc", false); got != real || real == "" {
		t.Errorf("of the shim %q, of the tool %q", got, real)
	}
	names := toolsID([]string{"gcc", "ld"}, env, s.home)
	content := identity(s.root+"/shims/gcc", true)
	info, err := os.Stat(s.root + "/bin/gcc")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(s.root+"/bin/gcc", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "#!/bin/SH\n"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if err := os.Chtimes(f.Name(), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if identity(s.root+"/shims/gcc", false) == real {
		t.Error("an upgrade of the same size and mtime has the same identity")
	}
	if identity(s.root+"/shims/gcc", true) == content {
		t.Error("other content has the same identity")
	}
	if toolsID([]string{"gcc", "ld"}, env, s.home) == names {
		t.Error("the tools' id does not tell an upgrade")
	}
}
