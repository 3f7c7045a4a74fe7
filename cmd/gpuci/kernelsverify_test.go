package main

import "testing"

// TestCompilerErrors: what is left of a compiler's words is the errors of the source, and
// all of them where none is.
func TestCompilerErrors(t *testing.T) {
	const own = "k.cu:7:3: error: 'foo' was not declared\n    7 |   foo();\n      |   ^~~"
	for name, c := range map[string]struct{ output, want string }{
		"with frames": {"In file included from /lib/gpuci_simt.h:9,\n                 from <stdin>:1:\n/lib/fiber.h:3:1: note: declared here\n    3 | x\nk.cu: In function 'void k()':\n" +
			own + "\nk.cu:8:1: warning: unused\n    8 | int x;\n1 error generated.", own},
		"nothing of the source": {"/lib/fiber.h:3:1: error: odd", "/lib/fiber.h:3:1: error: odd"},
		"a refusal":             {"k.cu:7: the call of f with x\nsimt: give it to a variable", "k.cu:7: the call of f with x\nsimt: give it to a variable"},
	} {
		if got := compilerErrors("k.cu", c.output); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
