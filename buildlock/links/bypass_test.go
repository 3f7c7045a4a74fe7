package links

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpuci/buildlock/shim"
)

const nobody = 65534

// stranger starts a program called ld as another user, with the shims in dir
// first on its PATH.
func stranger(t *testing.T, dir string) Linker {
	t.Helper()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cat)
	cmd.Args, cmd.Dir, cmd.Env = []string{"ld"}, "/", []string{"PATH=" + dir + ":/usr/bin:/bin", "COMPILER_PATH=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil { // it is executed by then
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return Linker{Stat: stat(t, cmd.Process.Pid), Tool: "ld"}
}

// TestBarred: a user who may not enter the directory of the shims came past them
// for that reason, and not because of another tool before them on PATH.
func TestBarred(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	top, err := os.MkdirTemp("", "") // 0700
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(top)
	dir := filepath.Join(top, "data", "shims")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gpuci-shims"), nil, 0o644); err != nil || !shim.IsShims(dir) {
		t.Fatalf("%s is no directory of shims: %v", dir, err)
	}
	l := stranger(t, dir)
	p := PastOf(t.Context(), l)
	if want := p.WouldCatch(true); p.Reason != Barred || p.Shims != dir || !strings.Contains(want, dir) || !strings.Contains(want, "XDG_DATA_HOME") {
		t.Errorf("below a directory that is root's alone: %+v, %q", p, want)
	}
	for _, c := range []struct {
		mode     os.FileMode
		uid, gid int
		want     Bypass
	}{
		{0o755, 0, 0, Shadowed}, {0o711, 0, 0, Shadowed}, {0o750, 0, 0, Shadowed}, // it may be in that group
		{0o744, 0, 0, Barred}, {0o750, 0, nobody, Shadowed}, {0o705, 0, nobody, Barred}, {0o700, nobody, 0, Shadowed}, {0o077, nobody, 0, Barred},
	} {
		if err := os.Chmod(top, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(top, c.uid, c.gid); err != nil {
			t.Fatal(err)
		}
		if p := PastOf(t.Context(), l); p.Reason != c.want || (p.Shims != "") != (c.want == Barred) {
			t.Errorf("%04o of %d:%d: %+v, want %s", c.mode, c.uid, c.gid, p, c.want)
		}
	}
}
