package shim

import (
	"os"
	"strings"
	"testing"
)

// Somebody's script stands before our directory and calls us by our path, as
// `exec $(which gcc) "$@"` does: we go on to what stands behind us. Where our
// directory is not on PATH any more, the script that was executed once is not
// executed again.
func TestLookWrapped(t *testing.T) {
	s := newShelf(t)
	write(t, s.root+"/wrap/gcc", "#!/bin/sh\n")
	for _, path := range []string{"wrap:shims:bin", "shims:wrap:bin"} {
		env := s.env(path, "-")
		p, err := Look([]string{s.root + "/shims/gcc", "-c", "a.c"}, env, s.home)
		if err != nil {
			t.Fatal(err)
		}
		if path == "shims:wrap:bin" { // the script stands behind us: it is executed, once
			if s.short(p.Path) != "wrap/gcc" {
				t.Fatalf("%s: %s", path, s.short(p.Path))
			}
			if p, err = Look([]string{s.root + "/shims/gcc", "-c", "a.c"}, p.Env, s.home); err != nil {
				t.Fatal(err)
			}
		}
		if s.short(p.Path) != "bin/gcc" {
			t.Errorf("%s: %s, want bin/gcc", path, s.short(p.Path))
		}
	}
}

// A directory of symbolic links to our shims is first on PATH: the tool is not
// told to look for itself there.
func TestLookLinked(t *testing.T) {
	s := newShelf(t)
	if err := os.MkdirAll(s.root+"/links", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.root+"/shims/gcc", s.root+"/links/gcc"); err != nil {
		t.Fatal(err)
	}
	write(t, s.root+"/shims/gcc", "#!/bin/sh\n")
	p, err := Look([]string{"gcc", "-c", "a.c"}, s.env("links:shims:bin", "-"), s.home)
	if err != nil {
		t.Fatal(err)
	}
	if p.Args[0] != p.Path || strings.Contains(p.Path, "links") {
		t.Errorf("%q is executed as %q", s.short(p.Path), s.short(p.Args[0]))
	}
}

// The caller's own COMPILER_PATH has a linker: the compiler takes the ticket.
func TestLookOwnLinker(t *testing.T) {
	s := newShelf(t)
	write(t, s.root+"/own/ld", "#!/bin/sh\n")
	write(t, s.root+"/real/real-ld", "#!/bin/sh\n")
	for path, want := range map[string]bool{"shims": false, "own:shims": true, "shims:own": false, "shims:real": true, "own": true} {
		p, err := Look([]string{"gcc", "a.c"}, s.env("shims:bin", path), s.home)
		if err != nil {
			t.Fatal(err)
		}
		if p.Ticket != want {
			t.Errorf("COMPILER_PATH=%s: ticket in gcc %v, want %v", path, p.Ticket, want)
		}
	}
}
