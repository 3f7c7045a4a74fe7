package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// Nothing runs unlocked: a lock directory that cannot be used is exit 69, for all
// that need one, before anything is made.
func TestUnfit(t *testing.T) {
	s := newStage(t)
	s.write(t, "file", "")
	if err := os.Symlink(s.dir, filepath.Join(s.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for bad, why := range map[string]string{"file": "no directory", "link": "symbolic link", "nowhere/locks": "cannot be made", "./locks": "not an absolute path"} {
		x := s
		dir := filepath.Join(s.dir, bad)
		if strings.HasPrefix(bad, "./") {
			dir = bad
		}
		x.env = append(append([]string{}, s.env...), "GPUCI_LOCK_DIR="+dir)
		for _, args := range [][]string{
			{"lock", "run", "--", "echo", "ran"}, {"lock", "status"}, {"lock", "status", "--json"}, {"lock", "void", "link-1", "--why", "x"},
			{"build", "--", "echo", "ran"}, {"env", "--shell", "sh"},
		} {
			code, stdout, stderr := x.run(t, args...)
			if stdout = strings.TrimPrefix(stdout, "false\n"); code != 69 || strings.Contains(stdout, "ran") || strings.Contains(stdout, "free") || args[0] == "env" && stdout != "" {
				t.Errorf("%s: %q: exit %d, %q, %s", bad, args, code, stdout, stderr)
			}
			if !strings.Contains(stderr, "every user of this machine needs the same one") || args[0] != "lock" && !strings.Contains(stderr, why) {
				t.Errorf("%s: %q: %s", bad, args, stderr)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "nowhere")); !os.IsNotExist(err) {
		t.Errorf("something was made: %v", err)
	}
	if found, _ := filepath.Glob(filepath.Dir(s.locks) + "/home/gpuci/shims/*"); len(found) != 0 {
		t.Errorf("shims were made: %q", found)
	}
}

// A disk without space is said to be one, at once and by a link alike; the state
// of the locks can still be read.
func TestUnfitFull(t *testing.T) {
	if os.Geteuid() != 0 {
		needsTool(t, "root")
	}
	s := newStage(t)
	if err := os.Mkdir(s.locks, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", s.locks, "tmpfs", 0, "size=64k,mode=1777"); err != nil {
		needsTool(t, "mount")
	}
	defer func() { _ = unix.Unmount(s.locks, unix.MNT_DETACH) }()
	ticket := s.hold(t, buildlock.Who{Lane: "kda"})
	if err := os.WriteFile(filepath.Join(s.locks, "rest"), make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("it is not full")
	}
	hint := "free space in " + s.locks
	for _, args := range [][]string{{"lock", "status"}, {"build", "--", "echo", "ran"}, {"env", "--shell", "sh"}, {"lock", "run", "--", "echo", "ran"}} {
		code, stdout, stderr := s.run(t, args...)
		if code != 69 || !strings.Contains(stderr, hint) || strings.Contains(stdout, "ran") || (args[1] == "status") != strings.Contains(stdout, ticket.ID) {
			t.Errorf("%q: exit %d, %q, %s", args, code, stdout, stderr)
		}
	}
	s.makefile(t, 1)
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make")
	cmd.Dir, cmd.Env = s.dir, d.Environ(s.env, shim.Values{})
	if code, _, stderr := runCommand(t, cmd); code == 0 || !strings.Contains(stderr, hint) || strings.Contains(stderr, "lock status") {
		t.Errorf("the link: exit %d, %s", code, stderr)
	}
}
