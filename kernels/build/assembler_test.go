package build

import (
	"context"
	"strings"
	"testing"
)

// An asm that has a file read, or may, is told from all others, whatever it is made of.
func TestAssembles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"asm(\"nop\"); asm volatile (\"mov %0, %1;\" \"\\n\" : \"=r\"(a) : \"r\"(b));":      "",
		"int a = 1'000; // asm(X)\nchar c = '\"'; /* asm(X) */ const char* s = \"asm(X)\";": "",
		"int asmb, basm; f(as, m); s.include(\"x\");":                                       "",
		"__asm__ __volatile__ (\"a\" /* b */ \"c\"\n\"d\")":                                 "",
		"register int r asm(\"eax\");":                                                      "",
		"asm(R\"(mov \\n %0)\")":                                                            "",
		"asm(\".incbin \\\"x\\\"\")":                                                        "reads 1",
		"\n#define INC \".incbin \"\n":                                                      "reads 2",
		"\n\nasm(\".in\" \"cbin \\\"x\\\"\");":                                              "reads 3",
		"asm(\".INCBIN \\\"x\\\"\")":                                                        "reads 1",
		"asm(\".in\" /* x */\n // y\n\"clude \\\"x\\\"\")":                                  "reads 1",
		"asm(\"\\56incb\\x69n \\\"x\\\"\")":                                                 "reads 1",
		"asm(R\"x(.in)x\" \"cbin\")":                                                        "reads 1",
		"asm(\".irp k,bin\\n .inc\\\\k \\\"x\\\"\\n.endr\")":                                "reads 1",
		"asm(\".in\\\ncbin\")":                                                              "reads 1",
		"a\\\nsm(\".in\" \"cbin\")":                                                         "reads 1",
		"asm(INC \" \\\"x\\\"\")":                                                           "hides 1",
		"#define A(x) \\\n  asm(#x)":                                                        "hides 2",
		"#define A asm\nA(\".in\" \"cbin\")":                                                "hides 1",
		"#define A(...) asm volatile(__VA_ARGS__)":                                          "hides 1",
		"asm(":    "hides 1",
		"asm(\"a": "hides 1",
	} {
		got := ""
		a := assembles([]byte(text))
		switch {
		case a.Reads != "":
			got = "reads " + strings.TrimPrefix(strings.Split(a.Reads, ":")[0], "line ")
		case a.Hides != "":
			got = "hides " + strings.TrimPrefix(strings.Split(a.Hides, ":")[0], "line ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// assembling has the stage's compiler assemble, as it does for objects.
func (s *stage) assembling() *stage {
	s.Helper()
	s.preprocessor()
	s.set.Kinds = []Kind{Object}
	s.o.Exec = func(ctx context.Context, c Command) error {
		s.count(c)
		args := []string{c.Argv[0], "-c", "-x", "c++"}
		for i := 1; i < len(c.Argv); i++ {
			switch a := c.Argv[i]; {
			case a == "-Xcompiler":
				i++
				args = append(args, c.Argv[i])
			case a == "-Xptxas":
				i++
			case a == "-c" || strings.HasPrefix(a, "-gencode"):
			default:
				args = append(args, a)
			}
		}
		c.Argv = args
		return execute(ctx, c)
	}
	return s
}

// What an assembler includes changes no object unnoticed, and what it does not include
// costs no compile. Without an assembler there is nothing to follow.
func TestAssembled(t *testing.T) {
	t.Parallel()
	for text, follows := range map[string]bool{
		"asm(\".data\\n.incbin \\\"data.bin\\\"\\n.text\");\n":                                 false,
		"#define INC \".in\" \"cbin\"\nasm(\".data\\n\" INC \" \\\"data.bin\\\"\\n.text\");\n": false,
		"asm(\".data\\n.in\" \"cbin \\\"data.bin\\\"\\n.text\");\n":                            false,
		"#include \"h.h\"\nA(\".in\" \"cbin\");\n":                                             false,
		"asm(\"nop\" \"\\n\");\n":                                                              true,
	} {
		s := newStage(t, "a.cu", text, "data.bin", "one", "h.h", "#define A(x) asm(\".data\\n\" x \" \\\"data.bin\\\"\\n.text\")\n").assembling()
		s.want(s.build(), 1)
		s.file("data.bin", "two")
		r := s.build()
		if n := r.Count(Compiled); (n == 0) != follows || strings.Contains(told(r), "is compiled every time: ") == follows {
			t.Errorf("%q: %s", text, told(r))
		}
	}
	s := newStage(t, "a.cu", "int a;\n").assembling()
	s.set.Flags = []string{"-DA(x)=asm(x)"}
	if r := s.build(); !strings.Contains(told(r), "an option makes a macro of asm") {
		t.Error(told(r))
	}
	s = newStage(t, "a.cu", "asm(INC);\n").preprocessor()
	s.want(s.build(), 1)
	s.want(s.build(), 0)
}

// Any text comes to an end, and what is added behind it takes nothing away.
func FuzzAssembles(f *testing.F) {
	for _, seed := range []string{"asm(\".in\" \"cbin\")", "R\"x(", "'\\", "/*", "//\\\n", "asm volatile(R\"()\":", "1'0asm(\"\\x\")"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		assembles([]byte(text))
		// Behind a line that ends, and is in no comment, string or continued line, an asm is seen.
		if strings.ContainsAny(text, "\\\"'/(") {
			t.Skip()
		}
		if a := assembles([]byte(text + "\n asm(\".inc\" \"bin\");")); a.Reads == "" {
			t.Errorf("%q: %+v", text, a)
		}
	})
}
