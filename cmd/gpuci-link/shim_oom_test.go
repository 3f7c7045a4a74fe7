//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"gpuci/buildlock"
)

// TestShimOutOfMemory: the kernel kills a linker for want of memory. What the
// caller sees is what it sees without a shim, and the slot is free.
func TestShimOutOfMemory(t *testing.T) {
	r := shimRig(t, "gcc", "ld")
	group := memoryGroup(t)
	// An object that a linker needs tens of megabytes for; and the program that
	// starts the link moves into the group, so that the linker is born in it.
	shimFile(t, r.dir+"/big.s", ".data\n.globl main\nmain:\n.rept 3000000\n.quad main\n.endr\n")
	r.must(t, "gcc -c big.s -o big.o")
	const line = `echo $$ > "$1/cgroup.procs" && exec gcc big.o -o x`
	run := func(env []string) (string, int) {
		cmd := exec.Command("sh", "-c", line, "sh", group)
		cmd.Dir, cmd.Env = r.dir, env
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	path := "PATH=" + os.Getenv("PATH")
	wantText, wantCode := run([]string{path, "LANG=C"})
	if wantCode == 0 || !strings.Contains(wantText, "signal 9") {
		t.Skipf("needs a memory cgroup that kills a linker here: exit %d, %q", wantCode, wantText)
	}
	text, code := run(r.env)
	if text != wantText || code != wantCode {
		t.Errorf("through the shims: exit %d, %q; bare: exit %d, %q", code, text, wantCode, wantText)
	}
	k, err := buildlock.Acquire(t.Context(), buildlock.Options{Dir: r.locks})
	if err != nil {
		t.Fatalf("the slot is not free: %v", err)
	}
	_ = k.Release()
}

// memoryGroup makes a cgroup with little memory, in v1 or v2.
func memoryGroup(t *testing.T) string {
	t.Helper()
	const megabytes = 24
	name := "/gpuci-test-" + strconv.Itoa(os.Getpid())
	for parent, limit := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"} {
		dir := parent + name
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		if os.WriteFile(dir+"/"+limit, []byte(strconv.Itoa(megabytes<<20)), 0) == nil {
			_ = os.WriteFile(dir+"/memory.swap.max", []byte("0"), 0)
			return dir
		}
	}
	t.Skip("needs a memory cgroup that can be made")
	return ""
}
