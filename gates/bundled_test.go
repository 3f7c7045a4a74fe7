package gates

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates/config"
)

// runOf lays a workspace out with a gate of one run.
func runOf(t *testing.T, run string) (*config.Config, config.Gate) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		config.FileName: "[[gate]]\nname = 'g'\nreader = 'none'\nrun = " + run + "\n",
		"bin/g":         "\x7fELF", "bin/gpuci": "\x7fELF", "bin/gpuci-cuda": "\x7fELF", "data/a b.txt": "", "kernels/x.cu": "", "list.py": "#!/usr/bin/env -S python3 -u\n",
		"run.sh": "#!/usr/bin/env bash\nfor x in 1; do bin/g <'data/a b.txt'; done\nother $x\n", "go.sh": "#!/bin/sh\nbin/g && go test ./...\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(config.Sources{Workspace: filepath.Join(root, config.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	return cfg, cfg.Gates[0]
}

// What a run needs is read off its words, its shell's text and its scripts; a tool of
// which a machine with a driver may have none is refused wherever it hides.
func TestNeededBy(t *testing.T) {
	for run, want := range map[string]string{
		`["bin/g", "data"]`:                               "bin/g; data",
		`["bin/g", "--in=data/a b.txt"]`:                  "bin/g data/a b.txt",
		`["bin/gpuci", "kernels", "verify"]`:              "bin/gpuci bin/gpuci-cuda",
		`["env", "A=1", "timeout", "9", "bin/g", "-v"]`:   "bin/g",
		`["bash", "run.sh"]`:                              "bin/g data/a b.txt run.sh",
		`'f() { cat "data/a b.txt"; }; f | sort >out'`:    "data/a b.txt",
		`["sh", "-c", "if true; then ./run.sh; fi"]`:      "bin/g data/a b.txt run.sh",
		`["cargo", "test"]`:                               "!its run needs cargo,",
		`["nohup", "python3", "list.py"]`:                 "!its run needs python3,",
		`["bin/g", "list.py"]`:                            "bin/g list.py",
		`["./list.py"]`:                                   "!list.py is a script for python3,",
		`["./go.sh"]`:                                     "!its run needs go,",
		`"bin/g | frobnicate"`:                            "!its run needs frobnicate,",
		`["/opt/none/prog"]`:                              "!its run names /opt/none/prog, which is not in the workspace",
		`["bin/none"]`:                                    "!its run names bin/none, and there is no such file",
		`["/bin/cat", "/dev/null", "../outside", "none"]`: "",
	} {
		n, err := NeededBy(runOf(t, run))
		got := strings.Join(n.Files, " ")
		if len(n.Dirs) > 0 {
			got += "; " + strings.Join(n.Dirs, " ")
		}
		var no *NotBundledError
		switch says, fails := strings.CutPrefix(want, "!"); {
		case fails && (!errors.As(err, &no) || !strings.Contains(no.Text, says) || no.Unbuilt != (run == `["bin/none"]`)):
			t.Errorf("%s: %q, %v", run, got, err)
		case !fails && (err != nil || got != want):
			t.Errorf("%s: %q, %v; want %q", run, got, err, want)
		}
	}
}
