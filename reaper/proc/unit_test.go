package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnitOf(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"0::/\n":                               "",
		"0::\n":                                "",
		"garbage":                              "",
		"0::/system.slice/run-r1a2b.service\n": "run-r1a2b.service",
		"0::/system.slice/nightly.service/main\n":                                                "nightly.service",
		"0::/system.slice/nightly.service (deleted)\n":                                           "nightly.service",
		"0::/system.slice/runner.service/gpuci-gate.0123456789ab\n":                              "",
		"0::/system.slice/runner.service/gpuci-gate.0123456789ab/sub\n":                          "",
		"0::/system.slice/gpuci-nightly.service\n":                                               "gpuci-nightly.service",
		"0::/system.slice/gpuci-nightly.7.service/main\n":                                        "gpuci-nightly.7.service",
		"0::/system.slice/a.service/gpuci-x\n":                                                   "a.service",
		"0::/system.slice/docker-0123.scope\n":                                                   "",
		"0::/user.slice/user-1000.slice/session-3.scope\n":                                       "",
		"0::/user.slice/user-1000.slice/user@1000.service\n":                                     "",
		"0::/user.slice/user-1000.slice/user@1000.service/init.scope\n":                          "",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.service\n":            "run-u7.service",
		"9:name=systemd:/system.slice/a.service\n8:pids:/system.slice/b.service\n":               "a.service",
		"9:name=systemd:/system.slice/a.service\n0::/\n":                                         "a.service",
		"9:name=systemd:/system.slice/a.service\n0::/system.slice/c.service\n":                   "c.service",
		"8:pids:/system.slice/b.service\n0::/user.slice\n":                                       "",
		"0::/system.slice/odd:name=systemd:.service\n":                                           "odd:name=systemd:.service",
		"0::/../../system.slice/above.service\n":                                                 "above.service",
		"0::/system.slice/a.service.d\n":                                                         "",
		"1:cpu,cpuacct:/x\n9:name=systemd:/user.slice/user-1.slice/user@1.service/x.service/y\n": "x.service",
	} {
		if got := unitOf(text); got != want {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
}

func FuzzUnitOf(f *testing.F) {
	for _, seed := range []string{"0::/system.slice/a.service\n", "9:name=systemd:/a.service/b\n0::/\n", "0::/user@1.service/x.service/gpuci-a.0123456789ab", "::", "0::/.service\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		unit := unitOf(text)
		if unit == "" {
			return
		}
		if !strings.HasSuffix(unit, ".service") || strings.HasPrefix(unit, "user@") || strings.ContainsAny(unit, "/\n") || !strings.Contains(text, unit) {
			t.Errorf("%q: %q is no part of it that names a service", text, unit)
		}
	})
}

// One that has gone is gone; where the kernel has no cgroups there is no unit.
func TestUnit(t *testing.T) {
	if unit, err := Real.Unit(os.Getpid()); err != nil || strings.Contains(unit, "/") {
		t.Errorf("%q, %v", unit, err)
	}
	root := Root(t.TempDir())
	if _, err := root.Unit(7); !errors.Is(err, ErrGone) {
		t.Errorf("nobody's: %v", err)
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err == nil {
		err = os.Mkdir(filepath.Join(string(root), "7"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(string(root), "7/stat"), stat, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if unit, err := root.Unit(7); err != nil || unit != "" {
		t.Errorf("without cgroups: %q, %v", unit, err)
	}
}

func TestLeafMark(t *testing.T) {
	for name, want := range map[string]string{
		"gpuci-gate.0123456789ab": "gate.0123456789ab", "gpuci-a.b.0123456789ab": "a.b.0123456789ab", "gpuci-" + newMark(""): "",
		"gpuci-gate.service": "", "gpuci-gate.scope": "", "gpuci-gate.0123456789abc": "", "gpuci-gate.0123456789aB": "", "gpuci-.0123456789ab": "",
		"gpuci-gate": "", "gpuci-": "", "gate.0123456789ab": "", "gpuci-0123456789ab": "",
	} {
		mark, ok := LeafMark(name)
		if strings.Contains(name, "-unnamed.") {
			want = name[len("gpuci-"):]
		}
		if mark != want || ok != (want != "") {
			t.Errorf("%q: %q, %t; want %q", name, mark, ok, want)
		}
	}
}
