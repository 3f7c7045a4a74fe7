package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What a lane's own file counts as a compiler counts in that lane, and in no
// other one, whichever we stand in.
func TestReaperToolsOfEachLane(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, kda := s.lanes(t)
	data, err := os.ReadFile(ld)
	if err != nil {
		t.Fatal(err)
	}
	buildc := filepath.Join(s.dir, "buildc")
	if err := os.WriteFile(buildc, data, 0o755); err != nil {
		t.Fatal(err)
	}
	s.in(kda).write(t, "gpuci.toml", "[reaper]\ntools = [\"buildc\"]\n")
	in, out := s.leak(t, kda, buildc, script), s.leak(t, main, buildc, script)

	if code, stdout, stderr := s.in(main).run(t, "reaper", "sweep", "--every-lane"); code != 0 || isThere(in) || !isThere(out) {
		t.Errorf("exit %d, kda's is there: %t, main's: %t; %s%s", code, isThere(in), isThere(out), stdout, stderr)
	}
	if code, stdout, stderr := s.in(kda).run(t, "reaper", "sweep", "--lane", "main"); code != 0 || !isThere(out) {
		t.Errorf("exit %d, main's was ended by kda's tools: %s%s", code, stdout, stderr)
	}
}
