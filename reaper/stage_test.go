package reaper

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// needs ends a test that cannot run here.
func needs(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + what)
	}
	t.Skip("needs " + what)
}

// soon bounds a failure; no test passes because of it.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // t.Context ends before the cleanups
	t.Cleanup(cancel)
	return ctx
}

// stage is a lane of a test's own, with tools.
type stage struct {
	lane  Lane
	tools string
}

func newStage(t testing.TB) stage {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := stage{Lane{Name: "kda", Root: filepath.Join(top, "wt/kda"), Target: filepath.Join(top, "wt/kda/target")}, filepath.Join(top, "tools")}
	for _, dir := range []string{s.lane.Target, s.tools} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// options sweep the stage's lane, as young as may be.
func (s stage) options() Options {
	return Options{Lanes: []Lane{s.lane}, Wanted: only("kda"), Rules: Rules{Floor: 1}}
}

func only(name string) func(string) bool { return func(lane string) bool { return lane == name } }

// compiled builds a program of testdata under a name.
func (s stage) compiled(t testing.TB, source, name string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		needs(t, "gcc")
	}
	out := filepath.Join(s.tools, name)
	if text, err := exec.Command("gcc", "-o", out, filepath.Join("testdata", source+".c")).CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", source, err, text)
	}
	return out
}

// sleeper puts a program that sleeps under a path.
func sleeper(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile("/bin/sleep")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tool is a sleeper under the name of a tool.
func (s stage) tool(t testing.TB, name string) string {
	t.Helper()
	return sleeper(t, filepath.Join(s.tools, name))
}

// orphan starts a command whose parent ends at once, in a session that both
// were in, and returns it when it runs its program.
func orphan(t testing.TB, dir string, argv ...string) int {
	t.Helper()
	return orphanOf(t, &exec.Cmd{Dir: dir}, argv...)
}

// orphanOf is orphan with the directory, the environment and the files of c.
func orphanOf(t testing.TB, c *exec.Cmd, argv ...string) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", `"$@" 3>&- & echo $! >&3`, "sh"}, argv...)
	c.ExtraFiles = []*os.File{w}
	detach(c)
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	var text [32]byte
	n, _ := r.Read(text[:])
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		t.Fatalf("no pid in %q", text[:n])
	}
	endLater(t, pid)
	until(t, pid, "runs "+argv[0], func(s proc.Stat) bool { return s.Comm != "sh" })
	return pid
}

// endLater ends a process with all below it when the test is over, by who it
// is now.
func endLater(t testing.TB, pid int) {
	t.Helper()
	id, err := proc.Real.Identity(pid)
	if err != nil {
		t.Fatalf("pid %d: %v", pid, err)
	}
	t.Cleanup(func() {
		ids := []proc.Identity{id}
		if alive, err := proc.Real.Alive(id); err == nil && alive {
			table, _ := proc.Real.Table()
			for _, s := range table.Below(pid) {
				ids = append(ids, s.Identity(id.BootID))
			}
		}
		for _, id := range ids {
			if err := proc.Real.Signal(id, unix.SIGKILL); err != nil && !errors.Is(err, proc.ErrGone) {
				t.Errorf("end pid %d: %v", id.PID, err)
			}
		}
	})
}

// again runs the calling test once more in a child that wrap starts, and relays
// its verdict.
func again(t *testing.T, env string, wrap ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(wrap, self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1", "-test.timeout=60s")
	var out bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env), &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "--- PASS: "+t.Name()) {
		t.Fatalf("in the child: %v\n%s", err, out.String())
	}
}
