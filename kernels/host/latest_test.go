package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A variable that two functions are looked up into is, at each launch, the one that was
// looked up last on every way there; where there are several ways, any of them.
func TestReused(t *testing.T) {
	t.Parallel()
	get := func(n string) string { return `cuModuleGetFunction(&k, m, "` + n + `");` }
	launch := "cuLaunchKernel(k, 1,1,1, 32,1,1, 0, 0, args, 0);"
	for name, c := range map[string]struct{ body, want string }{
		"one after the other": {get("a") + launch + get("b") + launch, "a b"},
		"checked":             {"CHECK(" + strings.TrimSuffix(get("a"), ";") + ");" + launch + "if (" + strings.TrimSuffix(get("b"), ";") + " != CUDA_SUCCESS) return;" + launch, "a b"},
		"one of two":          {"if (x) " + get("a") + " else " + get("b") + launch, "a|b"},
		"in blocks":           {"if (x) { " + get("a") + " } else { " + get("b") + " }" + launch, "a|b"},
		"in its own block":    {"if (x) { " + get("a") + launch + " } else { " + get("b") + launch + " }", "a b"},
		"over another":        {"if (x) { " + get("a") + " }" + get("b") + launch, "b"},
		"over it perhaps":     {get("a") + "if (x) { " + get("b") + " }" + launch, "a|b"},
		"in a loop":           {get("a") + "for (;;) { " + launch + get("b") + " }", "a|b"},
		"in a loop, before":   {get("a") + "for (;;) { " + get("b") + launch + " }", "b"},
		"by the preprocessor": {"\n#if X\n" + get("a") + "\n#else\n" + get("b") + "\n#endif\n" + launch, "a|b"},
		"by a case":           {"switch (x) { case 1: " + get("a") + " break; default: " + get("b") + " }" + launch, "a|b"},
		"behind a condition":  {get("a") + "x && " + get("b") + launch, "a|b"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Read("x.cpp", "void f(CUmodule m, int x) { CUfunction k; int n; void* args[] = {&n};"+c.body+"}")
			var got []string
			for _, l := range f.Launches {
				got = append(got, strings.Join(l.Kernels, "|"))
			}
			if d := cmp.Diff(strings.Split(c.want, " "), got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// What is looked up in Python is launched from where it is kept, or at once, and by a
// source that says nothing of CUDA.
func TestPythonHeld(t *testing.T) {
	t.Parallel()
	readAll(t, "x.py", []readCase{
		{"without an import", "def run(mod, a):\n    k = mod.get_function('go')\n    k(a, block=(32, 1, 1))\n", []string{"lookup go in ", "python call go(_) [32 1 1]"}},
		{"at once", "mod.get_function('go')(a, b, block=(32, 1, 1))\n", []string{"lookup go in ", "python call go(_ _) [32 1 1]"}},
		{"of a dictionary", "fns = {'f': mod.get_function('go'), 'g': mod.get_function('stop')}\nfns['g'](a, block=(32, 1, 1))\n",
			[]string{"lookup go in ", "lookup stop in ", "python call stop(_) [32 1 1]"}},
		{"by a variable", "fns = {'f': mod.get_function('go'), 'g': mod.get_function('stop')}\nfns[n](a, block=(32, 1, 1))\n",
			[]string{"lookup go in ", "lookup stop in ", "python call go|stop(_) [32 1 1]"}},
		{"of a list", "fns = [mod.get_function('go')]\nfns[0](a)\n",
			[]string{"lookup go in ", "python call go(?)", "2: the arguments of the launch could not be followed"}},
		{"of names that are not known", "fns = {n: mod.get_function(n) for n in names}\nfns['g'](a, block=(32, 1, 1))\n",
			[]string{"python call (_) [32 1 1]", "1: the name that get_function looks up: what n is could not be followed"}},
		{"something else", "fns = {'f': len}\nfns['f'](a)\nmod.get_something('x')(a)\nk = mod.get_function('go')\n", []string{"lookup go in "}},
	})
}

// What a build script makes, and a name that is one of several, are said with what
// stands in the way.
func TestRustUnsaid(t *testing.T) {
	t.Parallel()
	readAll(t, "src/x.rs", []readCase{
		{"several", `const A: &str = include_str!(concat!(env!("OUT_DIR"), "/a.ptx"));
			const B: &str = include_str!(concat!(env!("OUT_DIR"), "/b.ptx"));`,
			[]string{"module a.ptx[A] of OUT_DIR", "module b.ptx[B] of OUT_DIR",
				"1: a build script makes a.ptx and 1 more, and what it makes was not followed: what the set has under that name is taken for it"}},
		{"a source", `mod ptx { include!(concat!(env!("OUT_DIR"), "/ptx.rs")); } const L: &str = "load_ptx";`,
			[]string{`1: what include!(concat!(env!("OUT_DIR"), "/ptx.rs")) brings is not read: it is made when the crate is built`}},
		{"one of several names", `fn f(dev: D, n: &str) { dev.load_ptx(Ptx::from_file("x.ptx"), n, &["go"])?; } fn g(dev: D) { f(dev, "one"); f(dev, "two"); }`,
			[]string{"module x.ptx of working directory", "1: the name that load_ptx gives to a module: it may be any of one, two"}},
	})
}

// A pointer to a function that cannot be followed is no kernel's name.
func TestPointers(t *testing.T) {
	t.Parallel()
	readAll(t, "x.cu", []readCase{
		{"one that is followed", "__global__ void t(float*a,int n){}\nvoid f(float*a){ auto p=t; p<<<1,32>>>(a,2,3); }", []string{"<<<>>> t(_ _ _) [32 1 1]"}},
		{"one that is set under a condition", "void g(float*a){ void (*p)(float*,int); if(a) p=t; p<<<1,32>>>(a,2);}", []string{"<<<>>> p(_ _) [32 1 1]"}},
		{"one that is set", "void g(float*a){ void (*p)(float*,int); p=t; p<<<1,32>>>(a,2);}",
			[]string{"<<<>>> (_ _) [32 1 1]", "1: which kernel is launched: it is a variable that could not be followed"}},
		{"a parameter", "void f(float*a, void(*q)(float*,int)){ q<<<1,32>>>(a,2); }", []string{"<<<>>> q(_ _) [32 1 1]"}},
	})
}
