//go:build bench && linux

package judge

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// buildWork builds the program that is compared with itself.
func buildWork(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "work")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/work").CombinedOutput(); err != nil {
		t.Fatalf("build work: %v\n%s", err, out)
	}
	return program
}

// disturb has a build and a writer go on beside the test, until it ends.
func disturb(t *testing.T, program string) {
	t.Helper()
	again(t, func() *exec.Cmd {
		// Never from the cache: that of this build is thrown away.
		return exec.Command("sh", "-c", "export GOCACHE=$(mktemp -d -p "+t.TempDir()+"); go build -p 1 -o /dev/null net/http; rm -rf $GOCACHE")
	})
	const mib = 64
	again(t, func() *exec.Cmd {
		return exec.Command(program, "write", filepath.Join(t.TempDir(), "full"), strconv.Itoa(mib))
	})
}

// again runs a command over and over, in a group of its own, and ends the group with
// the test.
func again(t *testing.T, command func() *exec.Cmd) {
	t.Helper()
	var mu sync.Mutex
	var group int // 0: none
	over := false
	done := make(chan error, 1)
	go func() {
		for {
			cmd := command()
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			mu.Lock()
			if over {
				mu.Unlock()
				done <- nil
				return
			}
			if err := cmd.Start(); err != nil {
				mu.Unlock()
				done <- err
				return
			}
			group = cmd.Process.Pid
			mu.Unlock()
			err := cmd.Wait()
			mu.Lock()
			group = 0
			ended := over
			mu.Unlock()
			if err != nil && !ended {
				done <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		mu.Lock()
		over = true
		if group > 0 {
			_ = syscall.Kill(-group, syscall.SIGKILL) // it may just have ended
		}
		mu.Unlock()
		if err := <-done; err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Errorf("what was to go on beside it ended: %v", err)
		}
	})
}
