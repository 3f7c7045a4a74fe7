package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzRead asks that reading ends and does not panic, in each language, and that what it
// refers to is there.
func FuzzRead(f *testing.F) {
	for _, p := range []string{"testdata/crate/src/right.rs", "testdata/crate/src/wrong.rs", "testdata/crate/kernels/scan.cu", "read_test.go"} {
		text, err := os.ReadFile(filepath.FromSlash(p))
		if err != nil {
			f.Fatal(err)
		}
		for n := range 3 {
			f.Add(n, string(text))
		}
	}
	for n, text := range []string{
		"fn f() { x.launch_builder(", "k<<<>>>(", "launch!(a.b<<<>>>)", "let (a, b) = match x { _ => (", "\"\\", "r##\"launch\"#", "R\"x(launch)\"", "'''launch",
		"#if 1\n#else\n#elif\n#endif\n#endif\nk<<<1,1>>>()", "fn launch(x: launch::<", "}}}}((((launch<<<", "launch /* ", "'\\", "cuLaunchKernel(,,,,,,,,,,)", "load_ptx(,,)",
		"struct A { b: A } let a: A; x.get_func(a, a); a.launch(a, a)", "static A: &str = A; m.load_function(A)", "fn f(n: &str) { m.load_function(n); f(n) }",
	} {
		f.Add(n%3, text)
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		path := []string{"a.rs", "a.cu", "a.py"}[(n%3+3)%3]
		got := Read(path, text+"\n//# cuda cuLaunchKernel load_function get_function") // so that it is looked into
		for _, l := range got.Lookups {
			for _, m := range l.Modules {
				_ = got.Modules[m]
			}
		}
		for _, l := range got.Launches {
			for _, k := range l.Lookups {
				_ = got.Lookups[k]
			}
			for _, a := range l.Args {
				if a.Size < 0 || len(a.Text) > 2*maxShown {
					t.Errorf("an argument of %d bytes: %q", a.Size, a.Text)
				}
			}
		}
	})
}

// TestBounded reads texts that are made to be slow. None may take longer than the
// deadline of the test, which is a hundred times what they take.
func TestBounded(t *testing.T) {
	for _, c := range []struct{ path, unit string }{
		{"a.rs", "launch("}, {"a.rs", "let launch = "}, {"a.rs", "fn a(x: A) { a(x) launch"}, {"a.rs", "m.load_function(a); let a = b; let b = a; "},
		{"a.rs", "x.launch_builder(&a).arg(&a); let mut a = a.launch_builder(&a); a.arg(a); "}, {"a.rs", "match a { a => launch, "}, {"a.rs", "|launch| "},
		{"a.rs", "launch::<"}, {"a.rs", "#[cfg(test)] launch "}, {"a.rs", "if false { launch "}, {"a.rs", "a.launch(a, a); a = a; "}, {"a.rs", "r#\"launch"}, {"a.rs", "/*launch"},
		{"a.rs", "#[repr(C)] struct A { a: B, b: B, c: B } #[repr(C)] struct B { a: A, b: A } let a: A; a.launch(a, (a, a)); "},
		{"a.cu", "k<<<"}, {"a.cu", "a<a<<<1,1>>>(a); "}, {"a.cu", "#if 1\nk<<<1,1>>>();\n#else\n"}, {"a.cu", "#define k <<<\n"}, {"a.cu", "void f(int a) { void* b[] = {&a}; cuLaunchKernel(b,b,b,b,b,b,b,b,b,b,b); b = b; "},
		{"a.cu", "cuModuleLoad(&a, a); a = a; cuModuleGetFunction(&a, a, a); "}, {"a.cu", "struct A { A a; k<<<"}, {"a.cu", "dim3 a(a); k<<<a, a>>>(a); "},
		{"a.py", "def f(get_function):\n "}, {"a.py", "a = a.get_function(a)\na(a)\n"}, {"a.py", "'''get_function"}, {"a.py", "(get_function"},
	} {
		text := "cuda load_function " + strings.Repeat(c.unit, 60_000/len(c.unit))
		start := time.Now()
		Read(c.path, text)
		t.Logf("%s %q: %v", c.path, c.unit, time.Since(start).Round(time.Millisecond))
	}
}

// TestDeep reads brackets in brackets: what follows them must not go as deep as they do.
// Half a million, as many as a file may have, take a quarter of a minute and end too.
func TestDeep(t *testing.T) {
	const n = 10_000
	for _, path := range []string{"a.rs", "a.cu", "a.py"} {
		for _, b := range []string{"()", "[]", "{}"} {
			deep := strings.Repeat(b[:1], n) + strings.Repeat(b[1:], n)
			for _, text := range []string{
				"// cuda\nfn f() { let a = " + deep + "; m.load_function(a); s.launch_builder(a).arg(a).launch(a); }",
				"void f() { void* a = " + deep + "; cuModuleGetFunction(&k, a, a); cuLaunchKernel(k,1,1,1,a,a,a,0,s,a,0); a<<<a,a>>>(a); }",
				"import cuda\na = " + deep + "\nk = a.get_function(a)\nk(a, a, a)\nk(a, block=a)",
			} {
				Read(path, text)
			}
		}
	}
}
