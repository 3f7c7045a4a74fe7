package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is found into testdata/bad")

// TestBadFiles holds the whole text that a user sees against testdata/bad.
func TestBadFiles(t *testing.T) {
	cases, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 20 {
		t.Fatalf("found %d bad files, want at least 20", len(cases))
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src, want := unpack(t, archive)
			problems := mustFail(t, src)
			got := strings.ReplaceAll(problems.Error(), filepath.Dir(src.Workspace), "$DIR") + "\n"
			if *update {
				archive.Files[len(archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// unpack writes the files of a case; the last one is what is wanted.
func unpack(t *testing.T, a *txtar.Archive) (src Sources, want string) {
	t.Helper()
	last := len(a.Files) - 1
	if last < 1 || a.Files[last].Name != "want" {
		t.Fatal(`the case has no file, or does not end with "want"`)
	}
	dir := t.TempDir()
	for _, f := range a.Files[:last] {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	return sourcesIn(dir), string(a.Files[last].Data)
}

// sourcesIn are the three files of a test, all in one directory.
func sourcesIn(dir string) Sources {
	return Sources{
		Machine:   filepath.Join(dir, "machine.toml"),
		Personal:  filepath.Join(dir, "personal.toml"),
		Workspace: filepath.Join(dir, FileName),
	}
}

func write(t testing.TB, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustFail(t *testing.T, src Sources) Problems {
	t.Helper()
	c, err := Load(src)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("Load gave the error %v, want Problems", err)
	}
	if c != nil {
		t.Error("Load gave a Config with its Problems")
	}
	return problems
}

// TestBadBytes covers files that no text archive can hold.
func TestBadBytes(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{
			name: "invalid UTF-8",
			data: "[workspace]\nname = \"ä\xff\"\n",
			want: "gpuci.toml:2:10: invalid UTF-8: byte 0xff\n" +
				"   2 | name = \"ä�\"\n" +
				"     |          ^\n" +
				"  hint: save the file as UTF-8",
		},
		{
			name: "byte order mark",
			data: "\ufefflinks = 1\n",
			want: "gpuci.toml:1:1: the file starts with a byte order mark\n" +
				"   1 | �links = 1\n" +
				"     | ^\n" +
				"  hint: save the file as UTF-8 without a byte order mark",
		},
		{
			name: "too large",
			data: "links = 1 #" + strings.Repeat("\n", maxFile),
			want: "gpuci.toml:1:1: the file is over 1 MiB\n" +
				"   1 | links = 1 #\n" +
				"     | ^\n" +
				"  hint: keep data in files of its own",
		},
		{
			name: "CRLF",
			data: "links = 1\r\nlinks = 2\r\n",
			want: "gpuci.toml:2:1: \"links\" is given twice, first on line 1\n" +
				"   2 | links = 2\n" +
				"     | ^^^^^\n" +
				"  hint: keep one of the two",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := sourcesIn(t.TempDir())
			write(t, src.Workspace, tt.data)
			if d := cmp.Diff(tt.want, mustFail(t, src).Error()); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestManyProblems checks that a generated file costs little and says so.
func TestManyProblems(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, strings.Repeat("[[gate]]\n", maxFile/len("[[gate]]\n")))
	problems := mustFail(t, src)
	if len(problems) != maxProblems+1 {
		t.Errorf("got %d problems, want %d and one that says there are more", len(problems), maxProblems)
	}
	if !strings.Contains(problems.Error(), "more mistakes follow") {
		t.Error("nothing says that there are more")
	}
}
