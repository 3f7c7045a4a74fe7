package devicetest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/device"
)

// What `make standin` builds is a driver with one quiet card for whoever sources its
// env, also below a directory with an odd name.
func TestStandinBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b'c")
	if out, err := exec.Command("standin/build", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("sh", "-c", `. "$1/env"; exec env -0`, "sh", dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	o := device.Options{Env: env}
	for _, kv := range env {
		if root, ok := strings.CutPrefix(kv, device.RootVariable+"="); ok {
			o.Around.Root = root
		}
	}
	s, err := device.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := s.Look(t.Context(), nil)
	if err != nil || l.Silent != "" || len(l.Cards) != 1 || l.Cards[0].State != device.Quiet {
		t.Errorf("%v %+v", err, l)
	}
	if info, err := os.Stat(filepath.Join(dir, "bin", "nvidia-smi")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("nvidia-smi: %v", err)
	}
}
