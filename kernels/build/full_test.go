package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fill builds on disks that have no room, in a mount namespace of its own: first
// with the cache on one, which must not matter, then with the output on one, which
// must leave what was there.
func (s *stage) fill() error {
	for _, dir := range []string{s.o.Cache, s.path("out")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
			return fmt.Errorf("mount: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.o.Cache, "ballast"), make([]byte, 60<<10), 0o666); err != nil {
		return err
	}
	r, err := Build(context.Background(), s.set, s.o)
	if err != nil {
		return fmt.Errorf("with a full cache: %w", err)
	}
	fmt.Printf("full cache: %d compiled, %d notes\n", r.Count(Compiled), len(r.Notes))
	out := s.path("out/a.sm_90.cubin")
	was, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	// A larger output has no room.
	if err := os.WriteFile(s.path("a.cu"), bytes.Repeat([]byte("int a_long_line_that_fills_the_disk;\n"), 4000), 0o666); err != nil {
		return err
	}
	_, err = Build(context.Background(), s.set, s.o)
	is, readErr := os.ReadFile(out)
	if !bytes.Equal(is, was) {
		return errors.Join(fmt.Errorf("the old output is %d bytes, and was %d", len(is), len(was)), readErr)
	}
	left, _ := filepath.Glob(s.path("out/.*"))
	fmt.Printf("full output: %v %v\n", left, err)
	return nil
}

// A full disk costs the cache or the output, and nothing else.
func TestFull(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n").preprocessor()
	said := s.unshared("full")
	for _, want := range []string{"full cache: 1 compiled", "full output: [] build the set set: 1 failed", "no space left on device"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
}

// unshared plays a job in a mount namespace of its own, and gives what it said.
func (s *stage) unshared(job string) string {
	s.Helper()
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Getuid() != 0 {
		need(s.T, "unshare and root")
	}
	exe, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.CommandContext(s.Context(), unshare, "-m", "--propagation", "private", exe)
	cmd.Env = append(os.Environ(), "BUILD_TEST_JOB="+job, "BUILD_TEST_ROOT="+s.root, "BUILD_TEST_CACHE="+s.o.Cache, "BUILD_TEST_GCC="+s.o.Compiler.Path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
