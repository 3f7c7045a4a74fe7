package shim

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// goShelf is a directory with a go in bin, a home, and shims.
func goShelf(t *testing.T) (top string, d Directory) {
	t.Helper()
	top = t.TempDir()
	for name, text := range map[string]string{
		"go/bin/go": "#!/bin/sh\n", "shims/" + ProgramName: "#!/bin/sh\n", "shims/" + markerName: "", "home/.config/go/env": "GOPROXY=off\nGOFLAGS=-mod=mod\nGOFLAGS=-buildvcs=false\n",
		"own/" + ProgramName: "#!/bin/sh\n", "xdg/go/env": "GOFLAGS=-x", "toolexec/env": "GOFLAGS=-v -toolexec=mine\n",
	} {
		path := top + "/" + name
		if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return top, Directory{top + "/shims", nil}
}

// TestGoFlags: go is told of us behind what it would have taken anyway, from the
// variable or from its files, and Bare leads back.
func TestGoFlags(t *testing.T) {
	top, d := goShelf(t)
	path, home := "PATH="+top+"/go/bin:/nowhere", "HOME="+top+"/home"
	ours := "-toolexec=" + d.Path + "/" + ProgramName
	for _, c := range []struct {
		name  string
		base  []string
		goenv string // of what came with go
		want  string
		bare  string // "unset" where it is to be
	}{
		{"nothing", []string{path}, "", ours, "unset"},
		{"no go", []string{"PATH=/nowhere", "GOFLAGS=-v"}, "", "-v", "-v"},
		{"the user's", []string{path, "GOFLAGS=-v -mod=mod"}, "", "-v -mod=mod " + ours, "-v -mod=mod"},
		{"empty", []string{path, "GOFLAGS="}, "", " " + ours, ""},
		{"a toolexec of the user's", []string{path, "GOFLAGS=-toolexec=mine"}, "", "-toolexec=mine", "-toolexec=mine"},
		{"ours as the user's", []string{path, "GOFLAGS=-toolexec=" + top + "/own/gpuci-link"}, "", "-toolexec=" + top + "/own/gpuci-link", "-toolexec=" + top + "/own/gpuci-link"},
		{"by name", []string{path, "GOFLAGS=-toolexec=gpuci-link -v"}, "", "-toolexec=gpuci-link -v", "-toolexec=gpuci-link -v"},
		{"shims that are gone", []string{path, "GOFLAGS=-v -toolexec=/gone/gpuci-link -x"}, "", "-v -x " + ours, "-v -x"},
		{"go env -w", []string{path, home}, "GOFLAGS=-p=1\n", "-buildvcs=false " + ours, "-buildvcs=false"},
		{"XDG_CONFIG_HOME", []string{path, home, "XDG_CONFIG_HOME=" + top + "/xdg"}, "", "-x " + ours, "-x"},
		{"GOENV", []string{path, "GOENV=" + top + "/xdg/go/env"}, "", "-x " + ours, "-x"},
		{"GOENV=off", []string{path, home, "GOENV=off"}, "", ours, "unset"},
		{"a toolexec by go env -w", []string{path, "GOENV=" + top + "/toolexec/env"}, "", "", "unset"},
		{"one that came with go", []string{path, "GOENV=off"}, "GOFLAGS=-toolexec=theirs\n", "", "unset"},
		{"what came with go", []string{path, home, "GOENV=off"}, "# defaults\nGOFLAGS=-p=1\n", "-p=1 " + ours, "-p=1"},
		{"the variable goes before", []string{path, home, "GOFLAGS=-v"}, "", "-v " + ours, "-v"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(top+"/go/go.env", []byte(c.goenv), 0o644); err != nil {
				t.Fatal(err)
			}
			env := d.Environ(c.base, Values{})
			if got, _ := Lookup(env, GoFlagsVar); got != c.want {
				t.Errorf("GOFLAGS=%q, want %q", got, c.want)
			}
			if got, _ := Lookup(d.Environ(env, Values{}), GoFlagsVar); got != c.want {
				t.Errorf("a second time GOFLAGS=%q, want %q", got, c.want)
			}
			got, set := Lookup(Bare(env), GoFlagsVar)
			if got != c.bare && c.bare != "unset" || set != (c.bare != "unset") {
				t.Errorf("bare again GOFLAGS=%q (set: %v), want %q", got, set, c.bare)
			}
		})
	}
}

// TestCommandGo: a go that is called by its path has the flag though PATH has
// none, in the variable and never on the command line, where -C has to be first.
func TestCommandGo(t *testing.T) {
	top, d := goShelf(t)
	if err := os.WriteFile(top+"/go/go.env", []byte("GOFLAGS=-p=1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ours := "-p=1 -toolexec=" + d.Path + "/" + ProgramName
	for line, want := range map[string]string{
		top + "/go/bin/go build -C sub .": ours, top + "/go/bin/go -C sub build": ours, "/usr/bin/make": "", "gofmt build": "",
	} {
		env := d.CommandEnv(strings.Fields(line), []string{"PATH=/nowhere"}, top, Values{})
		if got, _ := Lookup(env, GoFlagsVar); got != want {
			t.Errorf("%s: GOFLAGS=%q, want %q", line, got, want)
		}
	}
}

// TestOnPath: a name leads to what PATH has first, a shim too; a path to itself.
func TestOnPath(t *testing.T) {
	top, d := goShelf(t)
	if err := os.WriteFile(top+"/own/plain", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=/nowhere:" + d.Path + ":" + top + "/own"}
	for name, want := range map[string]string{ProgramName: d.Path + "/" + ProgramName, "./x": "./x", "/x/y": "/x/y"} {
		if got, err := OnPath(name, env); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]error{"nonesuch": syscall.ENOENT, "plain": syscall.EACCES} {
		if got, err := OnPath(name, env); got != "" || !errors.Is(err, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := OnPath("sh", nil); got == "" || err != nil {
		t.Errorf("without a PATH: %q, %v", got, err)
	}
}
