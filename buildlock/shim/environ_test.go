package shim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEnviron: Environ puts the shims in front, and Bare takes everything out
// of it again, whatever was set before.
func TestEnviron(t *testing.T) {
	s := newShelf(t)
	d := Directory{s.root + "/shims", []string{"gcc", "ld"}}
	own := d.Path + "/" + ProgramName + " " + checkFlag
	for _, c := range []struct {
		name       string
		base, want []string
	}{
		{"nothing set", nil, []string{"PATH=shims:" + defaultPath, "COMPILER_PATH=shims", ccacheCheck + "=" + own + " %compiler%"}},
		{"lists", []string{"PATH=/a:/b", "COMPILER_PATH=/c"}, []string{"PATH=shims:/a:/b", "COMPILER_PATH=shims:/c"}},
		{"empty lists", []string{"PATH=", "COMPILER_PATH="}, []string{"PATH=shims:", "COMPILER_PATH=shims:"}},
		{"older shims", []string{"PATH=" + s.list("old") + ":/a", "COMPILER_PATH=" + s.list("old")}, []string{"PATH=shims:/a", "COMPILER_PATH=shims"}},
		{"a check by content", []string{"PATH=/a", ccacheCheck + "=content"}, []string{ccacheCheck + "=" + own + "=content %compiler%"}},
		{"a check by mtime", []string{"PATH=/a", ccacheCheck + "=mtime"}, []string{ccacheCheck + "=" + own + "=mtime %compiler%"}},
		{"a check of the user's", []string{"PATH=/a", ccacheCheck + "=%compiler% -v"}, []string{ccacheCheck + "=%compiler% -v"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := d.Environ(c.base, Values{})
			for _, e := range c.want {
				name, value, _ := strings.Cut(e, "=")
				got, _ := Lookup(env, name)
				if diff := cmp.Diff(value, strings.ReplaceAll(got, s.root+"/shims:", "shims:")); diff != "" && got != s.root+"/"+value {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			again := d.Environ(env, Values{})
			slices.Sort(env)
			slices.Sort(again)
			if diff := cmp.Diff(env, again); diff != "" {
				t.Errorf("a second time is not the same:\n%s", diff)
			}
			wantBare(t, c.base, Bare(env))
		})
	}
}

// wantBare compares environments; a PATH that was not set may be the default.
func wantBare(t *testing.T, base, bare []string) {
	t.Helper()
	want := Bare(base)
	if _, ok := Lookup(want, "PATH"); !ok {
		want = append(want, "PATH="+defaultPath)
	}
	slices.Sort(want)
	slices.Sort(bare)
	if diff := cmp.Diff(want, bare); diff != "" {
		t.Errorf("bare again (-want +got):\n%s", diff)
	}
}

func TestEnvironSCCache(t *testing.T) {
	s := newShelf(t)
	d := Directory{s.root + "/shims", []string{"gcc"}}
	base := []string{"PATH=/a", sccacheCheck + "=mine:too"}
	env := d.Environ(base, Values{})
	got, _ := Lookup(env, sccacheCheck)
	if !strings.HasPrefix(got, busterPrefix) || !strings.HasSuffix(got, ":mine:too") {
		t.Errorf("%s=%s", sccacheCheck, got)
	}
	wantBare(t, base, Bare(env))
}

// What a build tells its shims is in the environment; what it does not know is
// left, but a lane's directory goes with its name.
func TestEnvironValues(t *testing.T) {
	d := Directory{newShelf(t).root + "/shims", nil}
	base := []string{"PATH=/a", LaneVar + "=outer", LaneRootVar + "=/outer", WaitVar + "=1s"}
	for _, c := range []struct {
		values Values
		want   map[string]string
	}{
		{Values{}, map[string]string{LaneVar: "outer", LaneRootVar: "/outer", WaitVar: "1s"}},
		{Values{Lane: "main", Root: "/home/a", Wait: time.Minute, Links: 2}, map[string]string{LaneVar: "main", LaneRootVar: "/home/a", WaitVar: "1m0s", LinksVar: "2"}},
		{Values{Lane: "main", LockDir: "/l", Command: "make", Build: "b", Log: "/log", Wait: -1}, map[string]string{
			LaneVar: "main", LaneRootVar: "", LockDirVar: "/l", CommandVar: "make", BuildVar: "b", LogVar: "/log", WaitVar: "-1ns"}},
	} {
		env := d.Environ(base, c.values)
		for name, want := range c.want {
			if got, _ := Lookup(env, name); got != want {
				t.Errorf("%+v: %s is %q, want %q", c.values, name, got, want)
			}
		}
	}
}

// Programs that look for the CUDA toolkit beside the nvcc on PATH are told where
// it is, unless somebody has told them already.
func TestEnvironCUDA(t *testing.T) {
	top := t.TempDir()
	nvcc := top + "/cuda-12/bin/nvcc"
	if err := os.MkdirAll(filepath.Dir(nvcc), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(nvcc, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("cuda-12", top+"/cuda"); err != nil {
		t.Fatal(err)
	}
	path := "PATH=/a:" + top + "/cuda/bin"
	for _, c := range []struct {
		names []string
		base  []string
		want  string
	}{
		{[]string{"gcc", "nvcc"}, []string{path}, top + "/cuda"},
		{[]string{"gcc"}, []string{path}, ""},
		{[]string{"nvcc"}, []string{path, "CUDA_HOME=/own"}, "/own"},
		{[]string{"nvcc"}, []string{path, "CUDA_PATH=/own"}, ""},
		{[]string{"nvcc"}, []string{"PATH=/a"}, ""},
	} {
		env := Directory{top + "/shims", c.names}.Environ(c.base, Values{})
		if got, _ := Lookup(env, CUDAHomeVar); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.names, c.base, got, c.want)
		}
	}
}

// FuzzSettings: what a marker file says can be written and read again.
func FuzzSettings(f *testing.F) {
	f.Add("tools /usr/bin\nlock-dir /run/lock\nlinks 2\n")
	f.Add("links -1\nnew thing\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := parseSettings(text)
		s.Links = max(0, s.Links)
		if again := parseSettings(s.String()); again != s {
			t.Errorf("%q: %+v, then %+v", text, s, again)
		}
	})
}
