package gates

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

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
		"plain": ". ./lib\n", "lib": "cat 'data/a b.txt'\n", "asks": "go version\n",
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
		`["sh", "./plain"]`:                               "data/a b.txt lib plain",
		`["env", "A=1", "bash", "-e", "plain"]`:           "data/a b.txt lib plain",
		`["sh", "-c", "timeout 9 sh -c '. ./plain'"]`:     "data/a b.txt lib plain",
		`["./plain"]`:                                     "data/a b.txt lib plain",
		`["bin/g", "plain"]`:                              "bin/g plain",
		`"cat asks; . ./asks"`:                            "!its run needs go,",
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

// What bundle names is packed, through links of the workspace too, or refused by name:
// nothing of it is left out in silence.
func TestNeededByPattern(t *testing.T) {
	for name, tc := range map[string]struct {
		target, pattern, want string
	}{
		"linked directory":        {"kernels", "set/**", "bin/g set/x/x.cu"},
		"linked below":            {"kernels", "set/*/*.cu", "bin/g set/x/x.cu"},
		"linked absolutely":       {"ROOT/kernels", "set/**", "bin/g set/x/x.cu"},
		"linked file":             {"kernels/x.cu", "set/*", "bin/g set/x"},
		"out":                     {"/etc/passwd", "set/*", "!set/x is a link that leads out of the workspace"},
		"a directory out":         {"/etc", "set/**", "!set/x is a link that leads out of the workspace"},
		"nowhere":                 {"absent", "set/*", "!set/x is a link to what is not there"},
		"its own directory":       {"set", "set/**", "!set/x is a link to a directory that it lies in"},
		"a pipe":                  {"", "set/*", "!set/x is no file with content: p"},
		"a directory for a file":  {"kernels", "kernels", "!bundle names kernels, which is a directory"},
		"a name that is not text": {"", "odd/*", `!its path "odd/\xff" has a name`},
		"a backslash":             {"", "slash/*", `!its path "slash/a\\b" has a name`},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, g := runOf(t, `["bin/g"]`)
			for _, dir := range []string{"set", "odd", "slash"} {
				if err := os.Mkdir(filepath.Join(cfg.Root, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			link := filepath.Join(cfg.Root, "set/x")
			target := strings.Replace(tc.target, "ROOT", cfg.Root, 1)
			var err error
			if target == "" {
				err = unix.Mkfifo(link, 0o600)
			} else if err = os.Symlink(target, link); !filepath.IsAbs(target) {
				err = errors.Join(os.Remove(link), os.Symlink("../"+target, link))
			}
			for _, odd := range []string{"odd/\xff", `slash/a\b`} {
				err = errors.Join(err, os.WriteFile(filepath.Join(cfg.Root, odd), nil, 0o644))
			}
			if err != nil {
				t.Fatal(err)
			}
			g.Bundle = []string{tc.pattern}
			n, err := NeededBy(cfg, g)
			var no *NotBundledError
			switch says, fails := strings.CutPrefix(tc.want, "!"); {
			case fails && (!errors.As(err, &no) || no.Next == "" || !strings.Contains(no.Text, says)):
				t.Errorf("%q, %v", n.Files, err)
			case !fails && (err != nil || strings.Join(n.Files, " ") != tc.want):
				t.Errorf("%q, %v; want %q", n.Files, err, tc.want)
			}
		})
	}
}
