package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What works in a worktree whose directory was removed is that lane's as long as
// git lists it: it is named, and ended when that lane is asked for by name or
// with all others, not with this one; and not with the one that it was in.
func TestReaperRemovedLane(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, kda := s.lanes(t)
	inner := filepath.Join(main, "inner")
	if out, err := exec.Command("git", "-C", main, "worktree", "add", "-q", inner).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inKda, inInner, inMain := s.leak(t, kda, ld, script), s.leak(t, inner, ld, script), s.leak(t, main, ld, script)
	for _, dir := range []string{kda, inner} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	s.dir = main
	code, stdout, stderr := s.run(t, "reaper", "list")
	want := "not asked for: 1 leaked process in lane kda, 1 leaked process in lane inner; gpuci reaper sweep --lane kda --lane inner ends them\n"
	if code != 0 || !strings.Contains(stdout, fmt.Sprintf("lane main (%s): 1 process, 1 leaked\n", main)) || !strings.Contains(stdout, want) || strings.Contains(stdout, fmt.Sprintf("(pid %d ", inKda)) || strings.Contains(stdout, fmt.Sprintf("(pid %d ", inInner)) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	_, stdout, _ = s.run(t, "reaper", "list", "--lane", "kda")
	for _, text := range []string{fmt.Sprintf("lane kda (%s, removed): 1 process, 1 leaked\n", kda), "leaked: orphaned (parent ", ", of lane kda by its cwd\n", "in " + kda + ", which was removed"} {
		if !strings.Contains(stdout, text) {
			t.Errorf("no %q in %s", text, stdout)
		}
	}
	if code, stdout, stderr := s.run(t, "reaper", "sweep"); code != 0 || isThere(inMain) || !isThere(inInner) || !isThere(inKda) || !strings.Contains(stdout, want) {
		t.Errorf("this lane's: exit %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := s.run(t, "reaper", "sweep", "--lane", "kda"); code != 0 || isThere(inKda) || !isThere(inInner) || !strings.HasPrefix(stdout, "swept 1 leaked (lane kda; ") {
		t.Errorf("by name: exit %d, %s%s", code, stdout, stderr)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n")
	ours := s.leak(t, main, ld, script)
	if code, v, stderr := s.verdict(t); code != 0 || v.Sweep == nil || len(v.Sweep.Swept) != 1 || isThere(ours) || !isThere(inInner) {
		t.Errorf("a gate: exit %d, %+v, %s", code, v.Sweep, stderr)
	}
	code, _, stdout, _ = s.sweptJSON(t, "--every-lane")
	if lines := reaperLines(t, stdout, "kill"); code != 0 || isThere(inInner) || len(lines) != 1 || lines[0].Lane != "inner" {
		t.Errorf("every lane: exit %d, %s", code, stdout)
	}
	if _, stdout, _ := s.run(t, "reaper", "list", "--every-lane"); strings.Contains(stdout, ", removed)") || !strings.Contains(stdout, "lane main ") {
		t.Errorf("with nothing in them: %s", stdout)
	}
}
