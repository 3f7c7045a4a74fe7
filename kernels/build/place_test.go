package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Nothing is written where the set does not own.
func TestPlaced(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(s *stage)
		err    string
	}{
		"up":              {func(s *stage) { s.set.Pattern = "../{stem}.{ext}" }, "is outside of its output directory: mend output-name"},
		"git's":           {func(s *stage) { s.set.Pattern = "../.git/config" }, "is outside of its output directory"},
		"git's by output": {func(s *stage) { s.file(".git/config", ""); s.set.Output = ".git" }, "is git's own: name"},
		"over a source, by a link": {func(s *stage) {
			s.file("k/b.cu", "int b;\n")
			s.link("k", "lnk")
			s.set.Output, s.set.Pattern = "lnk", "{stem}.cu"
		},
			"b.cu (source ) and"},
		"prebuilt, by a link": {func(s *stage) { s.file("pre/x", ""); s.link("pre", "out"); s.set.Keep = []string{"pre/*.cubin"} },
			`is committed device code, as prebuilt "pre/*.cubin" says`},
		"another set's, by a link": {func(s *stage) {
			s.file("two/x", "")
			s.link("two", "out")
			s.set.Beside = []Set{{Name: "other", Sources: []string{"*.cu"}, Architectures: []string{"sm_90"}, Output: "two"}}
		}, "is an output of the set other as well"},
		"another set's, which has the link": {func(s *stage) {
			s.file("out/x", "")
			s.link("out", "lnk")
			s.set.Beside = []Set{{Name: "other", Sources: []string{"*.cu"}, Architectures: []string{"sm_90"}, Output: "lnk/../lnk"}}
		}, "is an output of the set other as well"},
		"git's below":     {func(s *stage) { s.set.Pattern = ".git/{stem}" }, "is git's own"},
		"the directory":   {func(s *stage) { s.set.Pattern = "." }, "is outside of its output directory"},
		"by a link":       {func(s *stage) { s.file("out/x", ""); s.link("..", "out/up"); s.set.Pattern = "up/{stem}" }, "is outside of its output directory, through a link"},
		"a link to git's": {func(s *stage) { s.file(".git/config", ""); s.link(".git", "out") }, "is git's own, through a link"},
		"prebuilt":        {func(s *stage) { s.set.Keep = []string{"*.cubin", "out/*.cubin"} }, `is committed device code, as prebuilt "out/*.cubin" says`},
		"prebuilt, deep":  {func(s *stage) { s.set.Keep = []string{"**/*.cubin"} }, "is committed device code"},
		"a directory":     {func(s *stage) { s.file("out/a.sm_90.cubin/x", "") }, "is a directory"},
		"a FIFO":          {func(s *stage) { s.fifo("out/a.sm_90.cubin") }, "is no regular file"},
		"another set's": {func(s *stage) {
			s.set.Beside = []Set{{Name: "other", Sources: []string{"*.cu"}, Architectures: []string{"sm_80", "sm_90"}, Flags: []string{"-DV=2"}, Output: "out"}}
		}, "is an output of the set other as well"},
		"a FIFO for a source": {func(s *stage) { s.fifo("f.cu") }, `source "f.cu": not a regular file`},
		"a line break":        {func(s *stage) { s.file("a\nb.cu", "") }, `source "a\nb.cu": nvcc hands names to a shell`},
		"a dollar":            {func(s *stage) { s.file("$d/k.cu", "") }, `source "$d/k.cu": nvcc hands names to a shell`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "a.cu", "int a;\n").preprocessor()
			c.change(s)
			if _, err := Outputs(s.set); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
			if _, err := Build(t.Context(), s.set, s.o); err == nil || s.calls.Load() > 0 {
				t.Errorf("%v after %d calls", err, s.calls.Load())
			}
		})
	}
	for name, change := range map[string]func(s *stage){
		"a directory for all outputs elsewhere": func(s *stage) { s.file("disk/x", ""); s.link("disk", "out") },
		"a link in its place":                   func(s *stage) { s.file("out/x", "kept"); s.link("x", "out/a.sm_90.cubin") },
		"other names of another set": func(s *stage) {
			s.set.Beside = []Set{{Name: "other", Sources: []string{"*.cu"}, Architectures: []string{"sm_80"}, Output: "out"}}
		},
		"hidden from the pattern": func(s *stage) { s.set.Output, s.set.Keep = ".out", []string{"**/*.cubin", "*/*.cubin"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "a.cu", "int a;\n").preprocessor()
			change(s)
			s.want(s.build(), 1)
			if text, err := os.ReadFile(s.path("out/x")); err == nil && name == "a link in its place" && string(text) != "kept" {
				t.Errorf("what the link led to is %q", text)
			}
		})
	}
}

// What is under version control is not written over, unless it is what would be written.
func TestTracked(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n", "out/a.sm_90.cubin", "mine").preprocessor()
	asked := 0
	s.o.Tracked = func(_ context.Context, root string, paths []string) ([]string, error) {
		if paths[0] == root {
			return nil, nil // it asks for all once, to look after them
		}
		asked++
		return paths, nil
	}
	_, err := Build(t.Context(), s.set, s.o)
	if err == nil || !strings.Contains(err.Error(), "git tracks it") || string(s.read(s.path("out/a.sm_90.cubin"))) != "mine" {
		t.Error(err)
	}
	s.remove("out")
	s.build()
	if s.want(s.build(), 0); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	s.o.Tracked = func(context.Context, string, []string) ([]string, error) { return nil, errors.New("no git") }
	s.file("out/a.sm_90.cubin", "mine")
	if _, err := Build(t.Context(), s.set, s.o); err == nil || !strings.Contains(err.Error(), "no git") {
		t.Error(err)
	}
}

// Behind a link git knows nothing: it is asked for the file's own path.
func TestTrackedLink(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n", "two/a.sm_90.cubin", "mine").preprocessor()
	s.link("two", "out")
	s.o.Tracked = func(_ context.Context, _ string, paths []string) ([]string, error) {
		return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p != s.path("two/a.sm_90.cubin") }), nil
	}
	if _, err := Build(t.Context(), s.set, s.o); err == nil || !strings.Contains(err.Error(), "git tracks it") || string(s.read(s.path("two/a.sm_90.cubin"))) != "mine" {
		t.Error(err)
	}
}

// bound is whether a set beside one whose directory is mounted in a second place is seen
// to write there; it runs in a mount namespace of its own.
func (s *stage) bound() error {
	for _, dir := range []string{"two", "out"} {
		if err := os.MkdirAll(s.path(dir), 0o777); err != nil {
			return err
		}
	}
	if err := syscall.Mount(s.path("two"), s.path("out"), "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	s.set.Beside = []Set{{Name: "other", Sources: []string{"*.cu"}, Architectures: []string{"sm_90"}, Output: "two"}}
	_, err := Outputs(s.set)
	fmt.Println("bound:", err)
	return nil
}

// Two mounts of one directory are one place.
func TestPlacedMount(t *testing.T) {
	t.Parallel()
	said := newStage(t, "a.cu", "int a;\n").preprocessor().unshared("bound")
	if !strings.Contains(said, "is an output of the set other as well") {
		t.Error(said)
	}
}

// A header that is a FIFO is refused: the compiler would wait for it for ever.
func TestPipeHeader(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#if __has_include(\"f.h\")\n#endif\n").preprocessor()
	s.fifo("f.h")
	if _, err := Build(t.Context(), s.set, s.o); err == nil || !strings.Contains(err.Error(), "f.h, asked for in a.cu, is no regular file") {
		t.Error(err)
	}
}

// A name matches a pattern if the glob would find it.
func FuzzMatches(f *testing.F) {
	f.Add("**/*.cubin", "a/b/c.cubin")
	f.Add("a/**", "a/.b/c")
	f.Add("**/**/x", "x")
	f.Add(".a/[b", ".a/b")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(name) > 40 || len(pattern) > 40 || !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." || strings.ContainsAny(name+pattern, "\x00\\") {
			t.Skip()
		}
		if filepath.Clean(pattern) != pattern || !filepath.IsLocal(pattern) {
			t.Skip()
		}
		root := t.TempDir()
		if os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700) != nil || os.WriteFile(filepath.Join(root, name), nil, 0o600) != nil {
			t.Skip()
		}
		found, err := Set{Root: root}.glob(pattern)
		if err != nil {
			t.Skip()
		}
		if got, want := matches(strings.Split(pattern, "/"), strings.Split(name, "/")), len(found) == 1; got != want {
			t.Errorf("%q matches %q: %v, and the glob finds %q", pattern, name, got, found)
		}
	})
}
