package gates

import (
	"fmt"
	"strings"
	"testing"

	"gpuci/gates/config"
)

// The gates of this repository whose counts are taken twice, on the stand-in: what the
// atlas sees must be what the program says of itself. The program is a script, and no card
// is shown to do so.
func TestTracedKDA(t *testing.T) {
	cfg, err := config.Load(config.Sources{Workspace: "../gpuci.toml", Machine: "/nonexistent", Personal: "/nonexistent"})
	if err != nil {
		t.Fatal(err)
	}
	s := newTracedStage(t, "")
	run := func(name, command string) Verdict {
		g, ok := cfg.Gate(name)
		if !ok {
			t.Fatalf("gpuci.toml has no gate %s", name)
		}
		one := *g
		one.Run, one.Build, one.Kernels, one.Needs, one.Card, one.Faults, one.Dir = shell(command), nil, nil, nil, config.CardNeed{}, nil, "."
		s.opt = func(o *Options) { o.Gate = one }
		s.toml = ""
		return s.run("true")
	}
	forward := s.play("init", "launch kda_fast_forward 1 32", "launch kda_fast_bk2 1 32", "launch kda_fast_bk1 1 32")
	small := s.play("init", "launch kda_forward 1 32", "launch kda_bk2 1 32", "launch kda_bk1 1 32")
	extra := s.play("init", "launch kda_forward 1 32", "launch kda_bk2 1 32", "launch kda_bk1 1 32", "launch other 1 32")
	says := `; echo "kda-verify check=fused-launches backend=cuda compiler=x cases=8/8 path=fused runs=8 forward-launches=8 backward-launches=16 ops-launches=0"; echo "kda-verify-all check=fused-launches cases=8"`
	said(t, run("fused-launches-atlas", strings.Repeat(forward+"; ", 4)+strings.Repeat(small+"; ", 3)+small+says), Green)
	said(t, run("fused-launches-atlas", strings.Repeat(small+"; ", 7)+extra+says), Red, "witness seen-is-own: the relation does not hold", "launches=25")

	const guards = 2 * (64 << 10)
	buffers := []string{"init", fmt.Sprint("alloc a ", 1000+guards), fmt.Sprint("alloc b ", 24+guards), "free b", "free a"}
	own := func(bytes int) string {
		return fmt.Sprintf(`; for m in "allocations value=2" "alloc-high-bytes value=%d" "alloc-left-bytes value=0"; do echo "gpuci:metric name=$m"; done`, bytes)
	}
	said(t, run("fused-alloc-atlas", s.play(buffers...)+own(1024)), Green)
	said(t, run("fused-alloc-atlas", s.play(buffers...)+own(1025)), Red, "witness bytes: the relation does not hold")
	said(t, run("fused-alloc-atlas", s.play(append(buffers[:len(buffers)-1:len(buffers)-1], "say leaks")...)+own(1024)), Red, "seen-kept-bytes: 132072 is above 0")
}
