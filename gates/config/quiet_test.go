package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuietBox: true refuses, and the file that is printed is read as the same.
func TestQuietBox(t *testing.T) {
	for value, want := range map[string]string{"true": QuietRefuse, `"refuse"`: QuietRefuse, `"mark"`: QuietMark, "false": ""} {
		src := sourcesIn(t.TempDir())
		write(t, src.Workspace, "[pressure]\nunknown = \"refuse\"\n[[gate]]\nname = \"a\"\nrun = [\"true\"]\nreader = \"none\"\nquiet-box = "+value+"\n")
		c := mustLoad(t, src)
		if got := c.Gates[0].QuietBox; got != want || c.Pressure.Unknown != UnknownRefuse {
			t.Errorf("%s is read as %q, unknown as %q", value, got, c.Pressure.Unknown)
		}
		var text strings.Builder
		if err := c.Print(&text); err != nil {
			t.Fatal(err)
		}
		if want != "" && !strings.Contains(text.String(), `quiet-box = "`+want+`"`) {
			t.Errorf("%s is printed in\n%s", value, text.String())
		}
	}
}

// TestTools: programs that a sweep knows beside the usual ones, each file's list
// instead of the one before.
func TestTools(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Machine, "reaper.tools = [\"fpc\"]\n")
	write(t, src.Workspace, "[reaper]\ntools = [\"ispc\", \"circt-opt\"]\n")
	c := mustLoad(t, src)
	if d := cmp.Diff([]string{"ispc", "circt-opt"}, c.Tools); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	var text strings.Builder
	if err := c.Print(&text); err != nil || !strings.Contains(text.String(), "[reaper]\ntools = [\"ispc\", \"circt-opt\"]  # gpuci.toml:2") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestResumeFollows: who lowers the limits need not lower what work goes on at.
func TestResumeFollows(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, "pressure.io-full = { long = 20 }\n")
	if io := mustLoad(t, src).Pressure.IOFull; io.Long != 20 || io.Short != defaultShort || io.Resume != 20 {
		t.Errorf("%+v", io)
	}
}

// What runs other programs is no tool: it would be ended with all of them.
func TestNoTools(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, "[reaper]\ntools = [\"ispc\", \"dash\"]\n")
	if _, err := Load(src); err == nil || !strings.Contains(err.Error(), `"dash" in [reaper] tools runs anybody's programs`) {
		t.Errorf("%v", err)
	}
}
