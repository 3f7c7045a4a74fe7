package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMerge checks which file goes before which, value by value.
func TestMerge(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Machine, `links = 4
lock-dir = "/run/lock/gpuci"
build = { wait = "1m", timeout = "1m" }
pressure = { budget = "1m", io-full = { long = 31 } }
`)
	write(t, src.Personal, `
build = { wait = "2m" }
pressure = { io-full = { short = 72, long = 32 } }
`)
	write(t, src.Workspace, `links = 2
[pressure]
io-full = { short = 73 }

[[gate]]
name = "a"
run = ["true"]
reader = "none"
needs = ["gpu"]

[build]
wait = "3m"
`)
	c := mustLoad(t, src)
	if c.Build.Wait != 3*time.Minute || c.Build.Timeout != time.Minute || c.Links != 2 || c.LockDir != "/run/lock/gpuci" {
		t.Errorf("got build %+v, links %d, lock-dir %q", c.Build, c.Links, c.LockDir)
	}
	if io := c.Pressure.IOFull; io.Long != 32 || io.Short != 73 || io.Resume != defaultResume {
		t.Errorf("got io-full %+v", io)
	}
	for key, want := range map[string]Origin{
		"links":                   {FileName, 1},
		"lock-dir":                {src.Machine, 2},
		"build.wait":              {FileName, 12},
		"build.timeout":           {src.Machine, 3},
		"pressure.budget":         {src.Machine, 4},
		"pressure.io-full.long":   {src.Personal, 3},
		"pressure.io-full.short":  {FileName, 3},
		"pressure.io-full.resume": {},
		"gate.a.name":             {FileName, 6},
		"gate.a.build-timeout":    {src.Machine, 3}, // build.timeout is its default
		"gate.a.timeout":          {},
		"gate.b.name":             {},
	} {
		got, ok := c.Origin(key)
		if got != want || ok != (want.Line > 0) {
			t.Errorf("Origin(%q) = %v, %v, want %v", key, got, ok, want)
		}
	}
	if got := c.Pending(); len(got) > 0 { // all of the format is acted on
		t.Errorf("pending: %q", got)
	}
}

// TestLinksOnlyLower: only the machine says how many; the others get what it has.
func TestLinksOnlyLower(t *testing.T) {
	for _, tt := range []struct {
		machine, personal, workspace string
		want, of                     int
		from                         string
	}{
		{"", "", "", 1, 0, ""},
		{"", "", "links = 4", 1, 0, ""},
		{"", "links = 4", "", 1, 0, ""},
		{"links = 4", "", "", 4, 4, "machine.toml"},
		{"links = 4", "", "links = 8", 4, 4, "machine.toml"},
		{"links = 4", "", "links = 2", 2, 4, FileName},
		{"links = 4", "links = 3", "links = 8", 3, 4, "personal.toml"},
		{"links = 4", "links = 8", "links = 2", 2, 4, FileName},
	} {
		src := sourcesIn(t.TempDir())
		write(t, src.Machine, tt.machine)
		write(t, src.Personal, tt.personal)
		write(t, src.Workspace, tt.workspace)
		c := mustLoad(t, src)
		origin, _ := c.Origin("links")
		from := ""
		if origin.File != "" {
			from = filepath.Base(origin.File)
		}
		if c.Links != tt.want || c.MachineLinks != tt.of || from != tt.from {
			t.Errorf("%+v: got %d of %d from %q", tt, c.Links, c.MachineLinks, from)
		}
	}
}

// TestPrintSaysWhere holds the printed page of a small configuration.
func TestPrintSaysWhere(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Machine, "links = 2\nlock-dir = '/run/lock/gpuci'\n")
	write(t, src.Workspace, `
workspace = { name = "dormouse" }
[[gate]]
name = "a"
run = ["go", "test"]
reader = "gotest"
needs = ["gpu"]
  [[gate.bar]]
  metric = "x"
  pattern = 'x (?P<value>\d+)'
  max = 5
`)
	var out bytes.Buffer
	if err := mustLoad(t, src).Print(&out); err != nil {
		t.Fatal(err)
	}
	want := `links = 2  # $DIR/machine.toml:1
# lock-dir = "/run/lock/gpuci"  # $DIR/machine.toml:2

[workspace]
name = "dormouse"  # gpuci.toml:2

[build]
wait = "30m"  # default
timeout = "40m"  # default
serialize = "link"  # default

[pressure]
budget = "5m"  # default
min-free = "0B"  # default
unknown = "mark"  # default

[pressure.io-full]
long = 40  # default
short = 60  # default
resume = 25  # default

[history]
keep-runs = 500  # default

[[gate]]
name = "a"  # gpuci.toml:4
run = ["go", "test"]  # gpuci.toml:5
dir = "."  # default
needs = ["gpu"]  # gpuci.toml:7
build-timeout = "40m"  # default
timeout = "20m"  # default
no-progress = "5m"  # default
grace = "5s"  # default
reader = "gotest"  # gpuci.toml:6
min-tests = 1  # default

  [[gate.bar]]
  metric = "x"  # gpuci.toml:9
  pattern = 'x (?P<value>\d+)'  # gpuci.toml:10
  max = 5.0  # gpuci.toml:11
  min-matches = 1  # default
`
	got := strings.ReplaceAll(out.String(), filepath.Dir(src.Machine), "$DIR")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestMissingFiles: only the workspace's file must be there.
func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(sourcesIn(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a workspace file got %v", err)
	}
	write(t, filepath.Join(dir, FileName), "")
	c := mustLoad(t, Sources{Workspace: filepath.Join(dir, FileName)})
	if c.Root != dir || c.Workspace.Name != filepath.Base(dir) {
		t.Errorf("got root %q, name %q", c.Root, c.Workspace.Name)
	}
	src := sourcesIn(dir)
	src.Machine = os.DevNull
	mustLoad(t, src)
	src.Machine = dir
	if _, err := Load(src); err == nil || !strings.Contains(err.Error(), "machine file") {
		t.Errorf("with a directory for the machine's file got %v", err)
	}
}
