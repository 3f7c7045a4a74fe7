package proc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// soon is a context for what must not take for ever. It bounds a failure; no
// test passes because of it.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) // t.Context ends before the cleanups
	t.Cleanup(cancel)
	return ctx
}

// compiled builds a program of testdata.
func compiled(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		needs(t, "gcc")
	}
	out := filepath.Join(t.TempDir(), name)
	if text, err := exec.Command("gcc", "-pthread", "-o", out, filepath.Join("testdata", name+".c")).CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", name, err, text)
	}
	return out
}

// launch starts a command and ends it, by pid, with the test.
func launch(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// launchReady is launch for a program that says "ready".
func launchReady(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	pid := launch(t, cmd)
	_ = w.Close()
	end, _ := soon(t).Deadline()
	_ = r.SetReadDeadline(end)
	if text, err := bufio.NewReader(r).ReadString('\n'); err != nil || text != "ready\n" {
		t.Fatalf("%s never became ready: %q, %v", cmd.Path, text, err)
	}
	return pid
}

// sleeper is a process that does nothing.
func sleeper(t testing.TB) int {
	t.Helper()
	return settled(t, launch(t, exec.Command("/bin/sleep", "600")))
}

// settled waits until a process is what it is going to be: asleep, after its
// exec.
func settled(t testing.TB, pid int) int {
	return until(t, pid, "sleeps", func(s Stat) bool { return s.State == 'S' })
}

// until looks at a process until it is as wanted.
func until(t testing.TB, pid int, what string, ok func(Stat) bool) int {
	t.Helper()
	for ctx := soon(t); ; {
		s, err := Real.Stat(pid)
		if err != nil {
			t.Fatalf("wait until pid %d %s: %v", pid, what, err)
		}
		if ok(s) {
			return pid
		}
		if ctx.Err() != nil {
			t.Fatalf("pid %d: never %s: %+v", pid, what, s)
		}
		time.Sleep(time.Millisecond)
	}
}

// zombie is a process of which only the exit status is left.
func zombie(t testing.TB) int {
	t.Helper()
	pid := launch(t, exec.Command("/bin/true"))
	return until(t, pid, "is a zombie", Stat.Zombie)
}

// again runs the calling test once more, in a child as attr says, and relays
// its verdict. It is how a test becomes another user, or pid 1.
func again(t *testing.T, attr *syscall.SysProcAttr, env ...string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1", "-test.timeout=60s")
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), env...)
	cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = attr, &out, &out
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if err != nil || !strings.Contains(out.String(), "--- PASS: "+t.Name()) {
		t.Fatalf("in the child: %v\n%s", err, out.String())
	}
}

// nobody is a user who owns nothing here.
const nobody = 65534

// asNobody runs the rest of the calling test as another user than the one who
// owns most processes. It is false in the parent, whose test is over.
func asNobody(t *testing.T) bool {
	t.Helper()
	if unix.Geteuid() != 0 {
		return true
	}
	again(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}})
	return false
}

// fixture is one process of a made-up /proc.
type fixture struct {
	files map[string]string
	links map[string]string
}

// fixtureRoot makes a /proc of fixtures, by directory name.
func fixtureRoot(t testing.TB, procs map[string]fixture) Root {
	t.Helper()
	root := t.TempDir()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, p := range procs {
		check(os.MkdirAll(filepath.Join(root, name), 0o755))
		for file, text := range p.files {
			path := filepath.Join(root, name, file)
			check(os.MkdirAll(filepath.Dir(path), 0o755))
			check(os.WriteFile(path, []byte(text), 0o644))
		}
		for link, target := range p.links {
			path := filepath.Join(root, name, link)
			check(os.MkdirAll(filepath.Dir(path), 0o755))
			check(os.Symlink(target, path))
		}
	}
	return Root(root)
}

// crowd starts so many idle processes and ends them, by pid, with the test.
func crowd(t *testing.T, n int) {
	t.Helper()
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 300 & i=$((i+1)); done; echo ready; wait", n)
	pid := launchReady(t, exec.Command("/bin/sh", "-c", script))
	t.Cleanup(func() {
		table, _ := Real.Table()
		for _, s := range table.Below(pid) {
			_ = unix.Kill(s.PID, unix.SIGKILL)
		}
		until(t, pid, "has waited for them all", Stat.Zombie)
	})
}

// endNow ends a process that a test let go, and collects it if it is ours.
func endNow(t *testing.T, s Stat) {
	t.Helper()
	boot, err := Real.BootID()
	if err == nil {
		err = Real.Signal(s.Identity(boot), unix.SIGKILL)
	}
	if err != nil {
		t.Errorf("end pid %d: %v", s.PID, err)
	}
	_, _ = unix.Wait4(s.PID, nil, 0, nil)
}
