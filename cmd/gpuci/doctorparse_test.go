package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDriverVersion(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC version:  gcc 12.2.0\n":        "550.54.15",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (root@host)  Sun Jul 27 07:27:34 2025\n": "580.65.06",
		"something else\n1.2.3\n": "", "": "",
	} {
		if got := driverVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNoted(t *testing.T) {
	const list = "2 libs found in cache `/etc/ld.so.cache'\n" +
		"\tlibnvidia-ml.so.1.1 (libc6,x86-64) => /wrong\n\tlibnvidia-ml.so.1 (libc6,x86-64) => /usr/lib/libnvidia-ml.so.1\n\tlibnvidia-ml.so.1 (libc6) => /usr/lib32/libnvidia-ml.so.1\n"
	if got := noted(list, nvmlName); got != "/usr/lib/libnvidia-ml.so.1" {
		t.Errorf("%q", got)
	}
	if got := noted("\tlibm.so.6 (libc6) => /lib/libm.so.6\n", nvmlName); got != "" {
		t.Errorf("of a list without it: %q", got)
	}
}

func TestCargoLinePast(t *testing.T) {
	for text, want := range map[string]string{
		`linker = "/opt/llvm/bin/clang"`: "/opt/llvm/bin/clang",
		`linker = 'clang'`:               "",
		`target.x86_64-unknown-linux-gnu.linker = "/usr/bin/ld" # mine`: "/usr/bin/ld",
		`rustflags = ["-C", "link-arg=-fuse-ld=/opt/mold/bin/mold"]`:    "/opt/mold/bin/mold",
		`rustflags = "-Clink-arg=--ld-path=/opt/ld"`:                    "/opt/ld",
		`rustflags = ["-C", "link-arg=-fuse-ld=mold"]`:                  "",
		`# linker = "/usr/bin/ld"`:                                      "",
		`# rustflags = ["-Clinker=/usr/bin/ld"]`:                        "",
		`linker = "`:                                                    "",
		`linker = /unquoted`:                                            "",
		`nolinker = "/x"`:                                               "",
	} {
		got := cargoLine{"config.toml", text, 3}.past()
		if want == "" && got != "" || want != "" && got != "config.toml:3 names "+want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func FuzzCargoLineValue(f *testing.F) {
	f.Add(`linker = "/usr/bin/ld"`, "linker")
	f.Add(`a.rustc-wrapper = 'sccache' # x`, "rustc-wrapper")
	f.Add(`x = "`, "x")
	f.Fuzz(func(t *testing.T, text, key string) {
		got := cargoLine{text: text}.value(key)
		if got != "" && (!strings.Contains(text, `"`+got+`"`) && !strings.Contains(text, "'"+got+"'")) {
			t.Errorf("%q: %q does not stand there in quotes", text, got)
		}
	})
}

func TestWrapped(t *testing.T) {
	const text = "eins zwei drei vier fünf\n  laid out by somebody else, and long\nein-sehr-langes-wort-das-bleibt kurz"
	want := []string{"eins zwei", "drei vier", "fünf", "  laid out by somebody else, and long", "ein-sehr-langes-wort-das-bleibt kurz"}
	if got := wrapped(text, 10); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func FuzzWrapped(f *testing.F) {
	f.Add("one two three", 5)
	f.Add("ünï cödé wörds", 4)
	f.Add("000\xaf ", 4)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 1 {
			return
		}
		same := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		if got := strings.Join(wrapped(text, width), "\n"); same(got) != same(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestStanding(t *testing.T) {
	dir := t.TempDir()
	if got := standing(filepath.Join(dir, "a/b/c")); got != dir {
		t.Errorf("%s", got)
	}
}
