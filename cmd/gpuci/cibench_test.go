//go:build bench

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBenchNight: a night in which nothing changed, of 20 lanes with contents of
// their own by 10 gates, whose tools are asked for their versions in every lane;
// beside it git status in each lane.
func TestBenchNight(t *testing.T) {
	const lanes, perLane = 20, 10
	config := ""
	for i := range perLane {
		config += fmt.Sprintf("[[gate]]\nname = \"g%d\"\nrun = \"test %d -ge 0 || go vet ./...\"\nreader = \"none\"\n\n", i, i)
	}
	w := repository(t, config, 500)
	home := filepath.Join(t.TempDir(), "cache")
	night := func() *exec.Cmd {
		cmd := w.command(t, "ci", "nightly")
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+home)
		return cmd
	}
	var roots []string
	for i := range lanes - 1 {
		root := filepath.Join(w.dir+"-lanes", fmt.Sprint("lane", i))
		git(t, w.dir, "worktree", "add", "-q", "-b", fmt.Sprint("lane", i), root)
		cmd := exec.Command("sh", "-c", fmt.Sprintf("echo %d > own && git add own && git -c user.name=t -c user.email=t@t commit -q -m own", i))
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		roots = append(roots, root)
	}
	if out, err := night().CombinedOutput(); err != nil { // the one that has all to do
		t.Fatalf("%v: %s", err, out)
	}
	again, bare := paired(t, pairs, night, func() *exec.Cmd {
		script := "git --no-optional-locks status --porcelain"
		for _, root := range roots {
			script += fmt.Sprintf("; git --no-optional-locks -C %q status --porcelain", root)
		}
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = w.dir
		return cmd
	})
	tell("a night with nothing new, 20 lanes by 10 gates", "ms", 1e3, again, "3000 ms")
	tell("  beside it: git status in each lane", "ms", 1e3, bare, "none")
}
