package inputs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseDeps(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want DepFile
	}{
		"empty":        {"", DepFile{}},
		"one":          {"a.o: a.c a.h\n", DepFile{Rules: []Rule{{[]string{"a.o"}, []string{"a.c", "a.h"}}}}},
		"no newline":   {"a.o: a.c", DepFile{Rules: []Rule{{[]string{"a.o"}, []string{"a.c"}}}}},
		"continued":    {"a.o: a.c \\\n  a.h\\\r\n\tb.h\n\nb.h:\n", DepFile{Rules: []Rule{{[]string{"a.o"}, []string{"a.c", "a.h", "b.h"}}, {Outputs: []string{"b.h"}}}}},
		"two outputs":  {"a.o a.d : a.c\r\n", DepFile{Rules: []Rule{{[]string{"a.o", "a.d"}, []string{"a.c"}}}}},
		"escapes":      {"a\\ b\\:.o: c\\#d e$$f g\\\\\\ h i\\\\ j\\k C:x", DepFile{Rules: []Rule{{[]string{"a b:.o"}, []string{"c#d", "e$f", "g\\ h", "i\\", "j\\k", "C:x"}}}}},
		"rustc's hash": {"a: src/a#b.rs\n", DepFile{Rules: []Rule{{[]string{"a"}, []string{"src/a#b.rs"}}}}},
		"environment": {"a: b\n# a remark\n# env-dep:X=1\\n2\\\\\n# env-dep:UNSET\n", DepFile{
			Rules: []Rule{{[]string{"a"}, []string{"b"}}}, Env: map[string]string{"X": "1\n2\\", "UNSET": ""},
		}},
	} {
		got, err := ParseDeps([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	for _, text := range []string{"just words\n", ": a\n", "a: b\nELF\x7f\x00"} {
		if got, err := ParseDeps([]byte(text)); err == nil {
			t.Errorf("%q parses as %+v", text, got)
		}
	}
}

// A real compiler's file, with the names that are hard to write.
func TestDepsOfGCC(t *testing.T) {
	needs(t, "gcc")
	r := repo{t, t.TempDir()}
	names := []string{"a b.h", "h#1.h", "c$d.h", "e\\f.h", "g:h.h", "i\\ j.h", "plain.h"}
	var source strings.Builder
	for _, name := range names {
		source.WriteString("#include \"" + name + "\"\n")
		r.write(name, "")
	}
	r.write("ma in.c", source.String())
	r.run("gcc", "-MMD", "-MP", "-c", "ma in.c")
	d, err := readDeps(r.path("ma in.d"))
	r.check(err)
	want := Rule{[]string{"ma in.o"}, append([]string{"ma in.c"}, names...)}
	if diff := cmp.Diff(want, d.Rules[0]); diff != "" || len(d.Rules) != 1+len(names) {
		t.Errorf("%d rules\n%s", len(d.Rules), diff)
	}
}

// A FIFO is not waited for.
func TestReadDepsOfNoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipe.d")
	if err := unix.Mkfifo(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{file: "no regular file", filepath.Dir(file): "no regular file", file + "x": "no such file"} {
		if _, err := readDeps(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q in it", path, err, says)
		}
	}
}

func TestReadDepsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "huge.d")
	if err := os.WriteFile(file, []byte("a: b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, maxDepFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := readDeps(file); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("err = %v", err)
	}
}

// render writes a rule as gcc does.
func render(r Rule) string {
	escape := func(name string, output bool) string {
		var out strings.Builder
		slashes := 0
		for _, c := range []byte(name) {
			switch {
			case isBlank(c):
				out.WriteString(strings.Repeat("\\", slashes+1))
			case c == '#' || c == ':' && output:
				out.WriteByte('\\')
			case c == '$':
				out.WriteByte('$')
			}
			if slashes++; c != '\\' {
				slashes = 0
			}
			out.WriteByte(c)
		}
		return out.String()
	}
	var text strings.Builder
	for _, out := range r.Outputs {
		text.WriteString(escape(out, true) + " ")
	}
	text.WriteString(":")
	for _, in := range r.Inputs {
		text.WriteString(" \\\n " + escape(in, false))
	}
	return text.String() + "\n"
}

// Whatever a compiler writes in this form is read as it was meant.
func FuzzDepsRendered(f *testing.F) {
	f.Add("a.o", "a b", "c#d\\ e$")
	f.Add("a\tb", "\\x", "ü")
	f.Add("#a", ":", "\r")
	f.Fuzz(func(t *testing.T, out, in, other string) {
		for _, name := range []string{out, in, other} {
			// A newline has no form, a backslash at the end or before "#" and ":"
			// none that compilers agree on; nor has a return before a line's end.
			if name == "" || strings.ContainsAny(name, "\n") || strings.HasSuffix(name, "\\") || strings.HasSuffix(name, "\r") ||
				strings.Contains(name, "\\#") || strings.Contains(name, "\\:") {
				return
			}
		}
		want := Rule{[]string{out}, []string{in, other, out}}
		got, err := ParseDeps([]byte(render(want)))
		if err != nil || len(got.Rules) != 1 || !cmp.Equal(got.Rules[0], want) {
			t.Fatalf("%q: %q, %v; want %q", render(want), got.Rules, err, want)
		}
	})
}

// Any bytes at all end in rules or an error, and no name is longer than what it
// was read from.
func FuzzParseDeps(f *testing.F) {
	f.Add([]byte("a.o: a.c \\\n b\\ c.h\n# env-dep:X=1\n"))
	f.Add([]byte("\\\\\\"))
	f.Add([]byte("a:\\\r\n\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDeps(data)
		if err != nil {
			return
		}
		total := 0
		for _, r := range d.Rules {
			for _, name := range append(r.Outputs, r.Inputs...) {
				if total += len(name); name == "" {
					t.Fatalf("%q: an empty name in %q", data, d.Rules)
				}
			}
		}
		if total > len(data) {
			t.Fatalf("%q: names of %d bytes", data, total)
		}
	})
}
