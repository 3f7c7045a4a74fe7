package ci

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/ci/smalldisk"
	"gpuci/gates"
)

// TestInterference: hooks, a configuration and filters of a lane that would spoil
// a checkout or hang it run nowhere in a night.
func TestInterference(t *testing.T) {
	s := newStage(t, oneGate)
	s.lane("kda")
	s.commit("kda", "own", "")
	hooks := filepath.Join(s.home, "hooks")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(s.home, "hooked")
	for _, dir := range []string{hooks, filepath.Join(s.dir, ".git", "hooks")} {
		for _, hook := range []string{"post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor"} {
			if err := os.WriteFile(filepath.Join(dir, hook), []byte("#!/bin/sh\necho "+hook+" >> "+trace+"\nexit 1\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.git(s.dir, "config", "core.hooksPath", hooks)
	s.git(s.dir, "config", "core.fsmonitor", filepath.Join(hooks, "fsmonitor"))
	s.git(s.dir, "config", "extensions.worktreeConfig", "true")
	s.git(s.dir, "config", "--file", filepath.Join(s.dir, ".git", "worktrees", "kda", "config.worktree"), "core.worktree", s.home)
	_ = os.Remove(trace) // of our own git commands
	r := s.night()
	if d := cmp.Diff([]string{"kda unit: ran green", "main unit: ran green"}, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got, err := os.ReadFile(trace); err == nil {
		t.Errorf("hooks ran: %s", got)
	}
}

// TestBrokenLane: of a lane whose files cannot be read, the commit is tested all the
// same, and that is said.
func TestBrokenLane(t *testing.T) {
	s := newStage(t, oneGate)
	s.lane("kda")
	s.commit("kda", "bad", "")
	s.write("kda", ".git", "nothing that git knows\n")
	r := s.night()
	if d := cmp.Diff([]string{"kda unit: ran red", "main unit: ran green"}, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "kda: tested at its commit; its files cannot be read: ") {
		t.Errorf("%v\n%s", err, &text)
	}
}

// TestSubmoduleNowhere: a submodule that cannot be fetched is its own lane's affair.
func TestSubmoduleNowhere(t *testing.T) {
	s := newStage(t, oneGate)
	s.lane("kda")
	s.git(s.root("kda"), "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
	s.write("kda", ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = "+filepath.Join(s.home, "nowhere")+"\n")
	s.git(s.root("kda"), "add", ".gitmodules")
	s.git(s.root("kda"), "commit", "-q", "-m", "sub")
	s.git(s.home, "init", "-q", filepath.Join(s.root("kda"), "sub")) // there, and not at that commit
	s.git(filepath.Join(s.root("kda"), "sub"), "commit", "-q", "--allow-empty", "-m", "other")
	r := s.night()
	if d := cmp.Diff([]string{"kda unit: not run", "main unit: ran green"}, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if l := mustLane(t, r, "kda"); !strings.Contains(l.Why, "sub") || l.Exit != gates.Broken.ExitCode() || r.Exit != gates.Broken.ExitCode() {
		t.Errorf("the lane: %q, exit %d of %d", l.Why, l.Exit, r.Exit)
	}
}

// TestFullDisk: where the scratch lanes' disk is full, each lane says so, the night
// has a report, and nothing is left.
func TestFullDisk(t *testing.T) {
	dir := smalldisk.Run(t, "256k")
	if dir == "" {
		return
	}
	s := newStage(t, oneGate)
	t.Setenv("XDG_CACHE_HOME", dir)
	s.lane("kda")
	for i := range 8 { // more than there is room for
		s.commit("kda", fmt.Sprintf("large-%d", i), strings.Repeat(fmt.Sprintln(time.Now().UnixNano()), 2<<10))
	}
	r := s.night()
	if d := cmp.Diff([]string{"kda unit: not run", "main unit: ran green"}, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if l := mustLane(t, r, "kda"); !strings.Contains(l.Why, "unable to write") && !strings.Contains(l.Why, "no space left") || r.Exit != gates.Broken.ExitCode() {
		t.Errorf("the lane: %q, exit %d of %d", l.Why, l.Exit, r.Exit)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "gpuci", "scratch", "*", "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
