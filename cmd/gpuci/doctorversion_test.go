package main

import (
	"strings"
	"testing"
	"unicode"
)

// answers to --version, as tools of several distributions give them.
func saidVersions() map[string]string {
	return map[string]string{
		"git version 2.39.5\n": "2.39.5",
		"cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022\n":            "12.2.0",
		"gcc (GCC) 14.2.1 20240912 (Red Hat 14.2.1-3)\n":                        "14.2.1",
		"Ubuntu clang version 18.1.3 (1ubuntu1)\nTarget: x86_64-pc-linux-gnu\n": "18.1.3",
		"rustc 1.95.0 (59807616e 2026-04-14)\n":                                 "1.95.0",
		"cargo 1.97.0-nightly (4d10b1ae6 2026-05-07)\n":                         "1.97.0-nightly",
		"go version go1.26.0 linux/amd64\n":                                     "1.26.0",
		"cmake version 3.25.1\n\nCMake suite maintained by Kitware\n":           "3.25.1",
		"1.11.1\n":                         "1.11.1",
		"GNU Make 4.3\nBuilt for x86_64\n": "4.3",
		"Python 3.11.7\n":                  "3.11.7",
		"pytest 9.2.0\n":                   "9.2.0",
		"git-lfs/3.3.0 (GitHub; linux amd64; go 1.19.8)\n":          "3.3.0",
		"GNU gdb (Debian 13.1-3) 13.1\n":                            "13.1",
		"ShellCheck - shell script analysis tool\nversion: 0.9.0\n": "0.9.0",
		"GNU ld (GNU Binutils for Debian) 2.40\n":                   "2.40",
		"GNU ld version 2.41-37.fc40\n":                             "2.41-37.fc40",
		"GNU gold (GNU Binutils for Debian 2.40) 1.16\n":            "1.16",
		"Debian LLD 14.0.6 (compatible with GNU linkers)\n":         "14.0.6",
		"mold 2.33.0 (1234abcd; compatible with GNU ld)\n":          "2.33.0",
		"ccache version 4.7.5\nFeatures: file-storage\n":            "4.7.5",
		"sccache 0.4.0-pre.6\n":                                     "0.4.0-pre.6",
		"tool (1.2.3)\n":                                            "1.2.3",
		"nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2025\nBuilt on Wed\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.1_0\n": "13.0.88",
		"no number here\n": "", "": "", "7\n": "",
	}
}

func TestVersionIn(t *testing.T) {
	for text, want := range saidVersions() {
		if got := versionIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzVersionIn(f *testing.F) {
	for text := range saidVersions() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := versionIn(text)
		switch {
		case got == "":
		case !strings.Contains(text, got):
			t.Errorf("%q: %q does not stand there", text, got)
		case !unicode.IsDigit(rune(got[0])) || !strings.Contains(got, "."):
			t.Errorf("%q: %q is no version", text, got)
		}
	})
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		version string
		want    []int
		is      bool
	}{
		{"2.36", []int{2, 36}, true}, {"2.35.9", []int{2, 36}, false}, {"3.0", []int{2, 36}, true}, {"2.40.1", []int{2, 36}, true},
		{"6.18.44-fc-v857", []int{5, 14}, true}, {"5.4.0-150-generic", []int{5, 14}, false}, {"", []int{1}, false}, {"2", []int{2, 0}, true},
	} {
		if atLeast(c.version, c.want...) != c.is {
			t.Errorf("atLeast(%q, %v) is not %v", c.version, c.want, c.is)
		}
	}
}
