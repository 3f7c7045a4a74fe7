package build

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string // as encoded: a sign and the name
		blind      string
		makes      bool
	}{
		{"plain", "#include \"a.h\"\n  #  include <b/c.h> // why\n", []string{`"a.h`, "<b/c.h"}, "", false},
		{"no directive", "int a; // #include \"a.h\"\n\"#include <b.h>\"\n", nil, "", false},
		{"next and import", "#include_next <a.h>\n#import \"b.h\"\n#include_next \"c.h\"\n", []string{"na.h", `"b.h`, "Nc.h"}, "", false},
		{"joined lines", "#inclu\\\nde \\ \n <a.h>\n#include <b.h>\n", []string{"<a.h", "<b.h"}, "", false},
		{"comments", "/* x */ #include <a.h>\n/* y\n*/ #include /* z */ \"b.h\"\n", []string{"<a.h", `"b.h`}, "", false},
		{"asked", "#if defined(X) && __has_include(<a.h>) || __has_include(\"b.h\")\n#elif __has_include_next ( <c.h> )\n#endif\n",
			[]string{"<a.h", `"b.h`, "nc.h", "<c.h"}, "", false},
		{"asked whether one may ask", "#ifdef __has_include\n#if defined(__has_include)\n#endif\n#endif\n", nil, "", false},
		{"wrapped", "#define HAS(x) __has_include(x)\n#if HAS(<a.h>)\n#endif\n", []string{"<a.h"}, "", false},
		{"made", "#define H <a.h>\n#include H\n", []string{"<a.h"}, "", true},
		{"blind", "\n#if __has_include(H)\n#endif\n", nil, "line 2: __has_include of a name that a macro makes", false},
		{"blind in a macro", "#define HAS __has_include(H)\n", nil, "line 1: __has_include of a name that a macro makes", false},
		{"twice", "#include <a.h>\n#include <a.h>\n", []string{"<a.h"}, "", false},
		{"other signs", "%:include <a.h>\n??=if __has_include(<b.h>)\n%:inc\\\nlude \"c.h\"\n#inclu??/\nde <d.h>\n", []string{"<a.h", "<b.h", `"c.h`, "<d.h"}, "", false},
		{"comments within", "# /* x */ if __has_include /* y */ (<a.h>)\n#if 1 && /* is\nthere\n one? */ __has_include(<b.h>) /* and\n*/ && __has_include(<c.h>)\n#include <d.h>\n",
			[]string{"<a.h", "<b.h", "<c.h", "<d.h"}, "", false},
		{"no comments", "#error \"/*\"\n#include <a.h>\n#error // /*\n#include <b.h>\n#error /* no end\n#include <c.h>\n", []string{"<a.h", "<b.h", "<c.h"}, "", false},
		{"no end", "#include <a.h\n#include \"b.h\n#include\n#\n#define\n#if (\n\\", nil, "", true},
		{"carriage returns", "#include <a.h>\r\n#inc\\\r\nlude \"b.h\"\r\n", []string{"<a.h", `"b.h`}, "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := scan([]byte(c.text))
			var all []string
			if got.Mentions != "" {
				all = strings.Split(got.Mentions, "\x00")
			}
			if d := cmp.Diff(c.want, all); d != "" {
				t.Error(d)
			}
			if got.Blind != c.blind || got.Makes != c.makes {
				t.Errorf("blind %q, makes %v", got.Blind, got.Makes)
			}
		})
	}
}

// A macro that asks for what it is given is told from one that asks for a name of its
// own, and a use of it by a macro's name from one that spells the name out.
func TestAsks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"#define HAS(x) __has_include(x)\n#if HAS(<a.h>) || HAS(\"b.h\")\n":                 false,
		"#define HAS(x) __has_include(x)\n#if HAS(OPT)\n":                                   true,
		"#define HAS(x) __has_include(x)\n#if defined(OPT) && OTHER(OPT)\n":                 false,
		"#define HAS(x) __has_include(<x>)\n#if HAS(opt.h)\n":                               true,
		"#define HAS(x) __has_include(x)\n#define TWICE(y) (1 && HAS(y))\n#if TWICE(OPT)\n": true,
		"#define HAS(...) __has_include(__VA_ARGS__)\n#if HAS(OPT)\n":                       true,
		"#define HAS __has_include\n#if HAS(OPT)\n":                                         true,
		"#define HAS(x) __has_include(x)\n#define FOUND HAS(OPT)\n#if FOUND\n":              true,
		"#define HAS(x) (__has_include(<a.h>) && x > 1)\n#if HAS(VERSION)\n":                false,
		"#if HAS(OPT)\n#define HAS(x) __has_include(x)\n":                                   true, // read twice
		"#define HAS __has_include(<a.h>)\n#if HAS && defined(B)\n":                         false,
		"%:define HAS(x) __has_include(x)\n%:if HAS(OPT)\n":                                 true,
		"#define HAS(x) __has_include(x)\n#if /*\n*/ HAS /* y */ (OPT)\n":                   true,
	} {
		s := newStage(t, "a.cu", text)
		if got := newTree(s.root).asks([]string{"a.cu"}, &orders{}); (got != "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	s := newStage(t, "a.cu", "#if HAS(OPT)\n")
	for _, flags := range [][]string{{"-DHAS(x)=__has_include(x)"}, {"-D", "HAS=__has_include"}, {"-Xcompiler=-DHAS=__has_include"}} {
		o, err := Set{Flags: flags, Root: s.root}.orders(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := newTree(s.root).asks([]string{"a.cu"}, o); got == "" {
			t.Errorf("%q is not noticed", flags)
		}
	}
}

// Any text is scanned, and what was found is read back as it was.
func FuzzScan(f *testing.F) {
	f.Add("#include \"a.h\"\n#if __has_include(<b>)\n#define X(y) __has_include(y)\n")
	f.Add("/**/#include\\\n<a>*/ # import \"\"\n\\")
	f.Fuzz(func(t *testing.T, text string) {
		s := scan([]byte(text))
		all := slices.Collect(decode(s.Mentions))
		if encode(all) != s.Mentions {
			t.Fatalf("%q is read back as %q", s.Mentions, encode(all))
		}
		for _, m := range all {
			if m.name == "" {
				t.Fatal("a mention of nothing")
			}
		}
	})
}

func TestDeps(t *testing.T) {
	got, err := parseDeps("unit : a\\ b.cu \\\n    /usr/x.h \\\r\n  c\\#d.h $$e.h\nunit2:\n")
	if d := cmp.Diff([]string{"a b.cu", "/usr/x.h", "c#d.h", "$e.h", "unit2:"}, got); d != "" || err != nil {
		t.Error(err, d)
	}
	for _, text := range []string{"", "unit", "other : a\n"} {
		if got, err := parseDeps(text); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

// Names that GCC escapes are read as they were.
func FuzzDeps(f *testing.F) {
	f.Add("a b.cu", "c#d$.h")
	f.Fuzz(func(t *testing.T, a, b string) {
		parseDeps(a + b) // any text: it ends
		for _, name := range []string{a, b} {
			if name == "" || strings.ContainsAny(name, "\\\n\r\t\v\f") {
				t.Skip()
			}
		}
		escape := strings.NewReplacer(" ", `\ `, "#", `\#`, "$", "$$").Replace
		got, err := parseDeps("unit : " + escape(a) + " \\\n " + escape(b) + "\n")
		if err != nil || len(got) != 2 || got[0] != a || got[1] != b {
			t.Fatalf("%q and %q are read as %q, %v", a, b, got, err)
		}
	})
}
