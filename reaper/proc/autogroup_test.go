package proc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestParseAutogroup(t *testing.T) {
	for text, want := range map[string]uint64{"/autogroup-226397 nice 0\n": 226397, "/autogroup-1 nice -5": 1, "/autogroup-0": 0} {
		if got, err := parseAutogroup(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "/autogroup-", "/autogroup--3 nice 0", "autogroup-3", "/autogroup-3x nice 0", "/autogroup-3\n4"} {
		if got, err := parseAutogroup(text); err == nil || errors.Is(err, ErrNoAutogroup) != (text == "") {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

func FuzzParseAutogroup(f *testing.F) {
	for _, seed := range []string{"/autogroup-226397 nice 0\n", "", "/autogroup-", "/autogroup-18446744073709551616"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parseAutogroup(text); err == nil && !strings.HasPrefix(text, "/autogroup-") {
			t.Errorf("%q is none", text)
		}
	})
}

// A session that is begun later has a greater number, and who is in one has that
// one's. Ours has none where nobody above us has begun one.
func TestAutogroup(t *testing.T) {
	own, err := Real.Autogroup(os.Getpid())
	if err != nil && !errors.Is(err, ErrNoAutogroup) {
		t.Skipf("needs a kernel with autogroups: %v", err)
	}
	numbers := []uint64{}
	for _, alone := range []bool{false, true, true} {
		cmd := exec.Command("sleep", "100")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: alone}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		n, err := Real.Autogroup(cmd.Process.Pid)
		if err != nil && (alone || !errors.Is(err, ErrNoAutogroup)) {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	if numbers[0] != own || own >= numbers[1] || numbers[1] >= numbers[2] {
		t.Errorf("ours %d, then %d", own, numbers)
	}
}

func TestSystemd(t *testing.T) {
	for text, want := range map[string]bool{
		"0::/init.scope\n": true, "9:name=systemd:/init.scope\n0::/\n": true, "0::/kubepods/init.scope\n": true,
		"0::/\n": false, "8:pids:/init.scope\n": false, "0::/system.slice/docker-1.scope\n": false, "": false,
	} {
		if got := inInitScope(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	for program, want := range map[string]bool{"/usr/lib/systemd/systemd": true, "/usr/bin/python3.11": false, "/usr/bin/dumb-init": false} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(root, program)
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, nil, 0o755), os.Symlink(target, filepath.Join(root, "1/exe"))); err != nil {
			t.Fatal(err)
		}
		if got := Root(root).Systemd(); got != want {
			t.Errorf("%s: %t", program, got)
		}
	}
	if Root(t.TempDir()).Systemd() {
		t.Error("nobody is systemd")
	}
}
