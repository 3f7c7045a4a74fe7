package config

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The rules of banking are read, and printed so that they read the same.
func TestBank(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, `[bank]
samples = 40
least-effect = "2%"
warm = 3
age = "36h"
quiet = false
quality = ["loss", "accuracy:higher:0.5%"]
[bank.flags]
fused = 'config:src/lib.rs:FUSED: bool = true'
`)
	c := mustLoad(t, src)
	want := defaultBank()
	want.Samples, want.Least, want.Seek, want.Warm, want.Age, want.Quiet, want.Quality = 40, 0.02, 0.06, 3, 36*time.Hour, false, []string{"loss", "accuracy:higher:0.5%"}
	want.Flags = map[string]string{"fused": "config:src/lib.rs:FUSED: bool = true"}
	if d := cmp.Diff(want, c.Bank, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	var out bytes.Buffer
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
	write(t, src.Workspace, out.String())
	if d := cmp.Diff(c.Bank, mustLoad(t, src).Bank, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("printed and read again: %s", d)
	}
	if !strings.Contains(out.String(), `age = "36h"`) {
		t.Error(out.String())
	}
	write(t, src.Personal, "[bank]\nsamples = 30\n")
	mustFail(t, src)
}
