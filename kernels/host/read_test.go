package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told puts what was read into lines, so that a table can hold it.
func told(f File) []string {
	var lines []string
	add := func(m Marks, format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if m.Test {
			line += " (test)"
		}
		if m.Off {
			line += " (off)"
		}
		lines = append(lines, line)
	}
	for _, m := range f.Modules {
		add(m.Marks, "module %s%s of %s", m.File, key(m.Key), m.Base)
	}
	for _, l := range f.Lookups {
		var in []string
		for _, m := range l.Modules {
			in = append(in, f.Modules[m].File)
		}
		add(l.Marks, "lookup %s in %s%s", l.Name, strings.Join(in, "|"), key(l.Key))
	}
	for _, l := range f.Launches {
		args := "?"
		if l.ArgsKnown {
			var words []string
			for _, a := range l.Args {
				words = append(words, shape(a))
			}
			args = strings.Join(words, " ")
		}
		block := ""
		if l.Block != nil {
			block = fmt.Sprint(" ", l.Block)
		}
		add(l.Marks, "%s %s(%s)%s", l.Form, strings.Join(l.Kernels, "|"), args, block)
	}
	for _, u := range f.Unread {
		add(u.Marks, "%d: %s", u.Line, u.Why)
	}
	return lines
}

func key(k string) string {
	if k == "" {
		return ""
	}
	return "[" + k + "]"
}

func shape(a Arg) string {
	switch {
	case a.Pointer:
		return "*"
	case a.Size > 0:
		return fmt.Sprint(a.Size)
	}
	return "_"
}

type readCase struct {
	name, text string
	want       []string
}

func readAll(t *testing.T, path string, cases []readCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(Read(path, c.text))); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", c.text, diff)
			}
		})
	}
}

func TestRust(t *testing.T) {
	readAll(t, "src/x.rs", []readCase{
		{"one chain", `fn f(s: &S, n: u32) { let m = c.load_module(Ptx::from_file("a/x.ptx"))?; let k = m.load_function("go")?;
			unsafe { s.launch_builder(&k).arg(&n).arg(&1.5f64).arg(&(n as i64)).launch(LaunchConfig::for_num_elems(n)) }?; }`,
			[]string{"module a/x.ptx of working directory", "lookup go in a/x.ptx", "launch_builder go(4 8 8) [1024 1 1]"}},
		{"out of the build script's directory", `const P: &str = include_str!(concat!(env!("OUT_DIR"), "/x.ptx"));
			fn f() { let m = c.load_module(P.into())?; m.load_function("go")?; }`,
			[]string{"module x.ptx[P] of OUT_DIR", "lookup go in x.ptx",
				"1: a build script makes x.ptx, and what it makes was not followed: what the set has under that name is taken for it"}},
		{"the manifest's", `static P: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/k/x.cubin"));`,
			[]string{"module k/x.cubin[P] of CARGO_MANIFEST_DIR"}},
		{"a file that is not said", `static P: &[u8] = include_bytes!(env!("KERNEL_CUBIN"));`,
			[]string{`1: which file include_bytes!(env!("KERNEL_CUBIN")) takes is said when it is compiled`}},
		{"not device code", `static P: &str = include_str!("x.cu"); static Q: &str = include_str!("launch.txt");`, nil},
		{"older cudarc", `fn f(dev: D) { dev.load_ptx(Ptx::from_file("x.ptx"), "mod", &["a", "b"])?; let k = dev.get_func("mod", "a").unwrap();
			let n: usize = 3; unsafe { k.launch(cfg, (&x, n, 2.0f32, 1u8)) }?; }`,
			[]string{"module x.ptx[mod] of working directory", "lookup a in x.ptx[mod]", "lookup b in x.ptx[mod]", "lookup a in x.ptx[mod]", "launch a(_ 8 4 1)"}},
		{"of another file", `use cudarc::*; fn f() { let k = dev.get_func("mod", "a").unwrap(); k.launch(cfg, (1u32,)); }`,
			[]string{"lookup a in [mod]", "launch a(4)"}},
		{"a tuple that is bound", `use cudarc::*; fn f() { let k = dev.get_func("mod", "a")?; let params = (1u32, 2u64); k.launch(cfg, params); }`,
			[]string{"lookup a in [mod]", "launch a(4 8)"}},
		{"a list that grows", `use cudarc::*; fn f() { let k = dev.get_func("mod", "a")?; let mut params = vec![x.as_kernel_param()]; if c { params.push(y); } k.launch(cfg, &mut params); }`,
			[]string{"lookup a in [mod]", "launch a(?)", "1: the arguments of the launch: &mut params is no tuple or array that could be followed"}},
		{"cust", `static PTX: &str = include_str!("../x.ptx"); fn f() { let module = Module::from_ptx(PTX, &[])?; let n: i32 = 4;
			unsafe { launch!(module.sum<<<grid, 128, 0, stream>>>(a.as_device_ptr(), n, a.len()))?; let g = module.get_function("max")?; launch!(g<<<(1, 1), (16, 16, 1), 0, stream>>>(n))?; } }`,
			[]string{"module ../x.ptx[PTX] of source", "lookup max in ../x.ptx", "lookup sum in ../x.ptx", "launch! sum(* 4 8) [128 1 1]", "launch! max(4) [16 16 1]"}},
		{"statements", `fn f(x: &CudaSlice<f32>) { let k = m.load_function("go")?; let mut b = s.launch_builder(&k); b.arg(x); b.arg(&2i32).arg(&y); unsafe { b.launch(cfg) }?; }`,
			[]string{"lookup go in ", "launch_builder go(* 4 _)"}},
		{"in a branch", `fn f() { let k = m.load_function("go")?; let mut b = s.launch_builder(&k); b.arg(&x); if c { b.arg(&y); } b.launch(cfg)?; }`,
			[]string{"lookup go in ", "launch_builder go(?)", "1: how many arguments b has here: some are added in a branch or a loop"}},
		{"in a loop", `fn f() { let k = m.load_function("go")?; let mut b = s.launch_builder(&k); for x in xs { b.arg(x); } b.launch(cfg)?; }`,
			[]string{"lookup go in ", "launch_builder go(?)", "1: how many arguments b has here: some are added in a branch or a loop"}},
		{"all of it in a loop", `fn f() { let k = m.load_function("go")?; for x in xs { let mut b = s.launch_builder(&k); b.arg(x); unsafe { b.launch(cfg) }?; } }`,
			[]string{"lookup go in ", "launch_builder go(_)"}},
		{"under a cfg", "fn f() { let k = m.load_function(\"go\")?; let mut b = s.launch_builder(&k); b.arg(&x); #[cfg(feature = \"y\")] b.arg(&y); b.launch(cfg)?; }",
			[]string{"lookup go in ", "launch_builder go(?)", "1: how many arguments b has: one is there under a cfg only"}},
		{"handed on", `fn f() { let k = m.load_function("go")?; let mut b = s.launch_builder(&k); more(&mut b); b.launch(cfg)?; }`,
			[]string{"lookup go in ", "launch_builder go(?)", "1: how many arguments b has: it is handed on"}},
		{"candle's macro", `fn f() { let k = dev.get_or_load_func("go", &kernels::FILL)?; let mut b = k.builder(); barg!(b, n as i32, 1u8); b.launch(cfg)?; }`,
			[]string{"lookup go in [FILL]", "launch_builder go(4 1)"}},
		{"a field", `impl K { fn new() -> Self { let m = c.load_module(Ptx::from_file("x.cubin"))?; let go = m.load_function("go")?; K { go, n: 1 } }
			fn f(&self) { self.s.launch_builder(&self.go).arg(&self.n).launch(cfg) } } struct K { go: CudaFunction, n: u16 }`,
			[]string{"module x.cubin of working directory", "lookup go in x.cubin", "launch_builder go(2)"}},
		{"a parameter", `fn load(m: &Arc<CudaModule>, name: &str) -> CudaFunction { m.load_function(name).unwrap() }
			fn f() { let m = c.load_module(Ptx::from_file("x.ptx"))?; let k = load(&m, "go"); s.launch_builder(&k).launch(cfg); }`,
			[]string{"module x.ptx of working directory", "lookup go in x.ptx", "launch_builder go()"}},
		{"a match", `fn f(d: T) { let (name, b) = match d { T::A => ("a", 1), T::B => ("b", 2), _ => bail!("no") }; let k = m.load_function(name)?; s.launch_builder(&k).launch(cfg); }`,
			[]string{"lookup a in ", "lookup b in ", "launch_builder a|b()"}},
		{"a branch that is not known", `fn f() { let k = if c { m.load_function("a")? } else { other() }; s.launch_builder(&k).launch(cfg); }`,
			[]string{"lookup a in ", "launch_builder ()", "1: which kernel is launched: &k could not be followed to a lookup"}},
		{"put together", `fn f() { let k = m.load_function(&format!("go_{}", t))?; s.launch_builder(&k).arg(&1u32).launch(cfg); }`,
			[]string{"launch_builder (4)", `1: the name that load_function looks up: it is put together at run time: format!("go_{}", t)`}},
		{"compiled at run time", `fn f() { let m = c.load_module(compile_ptx(SRC)?)?; m.load_function("go")?; }`,
			[]string{"module  of run time", "lookup go in "}},
		{"hidden", `fn f() { let n: u64 = 1; let k = m.load_function("go")?; for n in xs { s.launch_builder(&k).arg(&n).launch(cfg); } s.launch_builder(&k).arg(&n).launch(cfg); }`,
			[]string{"lookup go in ", "launch_builder go(_)", "launch_builder go(8)"}},
		{"a struct", `#[repr(C)] struct P { a: f32, b: f64, c: [u16; 3] } struct Q { a: u8 } fn f(p: P, q: Q) { let k = m.load_function("go")?; s.launch_builder(&k).arg(&p).arg(&q).launch(cfg); }`,
			[]string{"lookup go in ", "launch_builder go(24 _)"}},
		{"commas", `fn f() { let k = m.load_function("go")?; k.launch(cfg, (g::<A, B>(x), h(1, 2), |a, b| a, [1, 2], "a,b", ',')); }`,
			[]string{"lookup go in ", "launch go(_ _ _ _ _ _)"}},
		{"no code", "// m.load_function(\"a\")\n/* /* m.load_function(\"b\") */ m.load_function(\"c\") */ const X: &str = r#\"m.load_function(\"d\")\"#;", nil},
		{"for tests", `#[cfg(test)] mod tests { #[test] fn t() { m.load_function("a"); } } #[cfg(not(test))] fn g() { m.load_function("b"); }`,
			[]string{"lookup a in  (test)", "lookup b in "}},
		{"switched off", `fn f() { if false { m.load_function("a"); } } #[cfg(any())] fn g() { m.load_function("b"); }`,
			[]string{"lookup a in  (off)", "lookup b in  (off)"}},
		{"a macro", `macro_rules! go { ($n:expr) => { m.load_function($n)? } } fn f() { go!("a"); }`,
			[]string{"1: load_function in the macro go: macros are not expanded"}},
		{"the driver's call", `fn f() { let mut args = [p(&a), p(&b)]; let k = get_function(m, CString::new("go")?)?; cuLaunchKernel(k, 1, 1, 1, 32, 2, 1, 0, s, args.as_mut_ptr(), null_mut()); }`,
			[]string{"lookup go in ", "cuLaunchKernel go(_ _) [32 2 1]"}},
		{"LLVM's", `fn f() { let k = module.get_function("main").unwrap(); pool.launch(k, (1, 2)); }`, nil},
		{"definitions", `trait L { fn load_function(&self, n: &str); fn launch(&self, cfg: C, p: (u32, u32)); }`, nil},
	})
}

func TestCPP(t *testing.T) {
	readAll(t, "src/x.cu", []readCase{
		{"the driver's calls", `void f() { CUmodule m; CUfunction k; cuModuleLoad(&m, "x.cubin"); CHECK(cuModuleGetFunction(&k, m, "go")); int n = 3; CUdeviceptr d; float s, *q;
			void* args[] = {&d, &n, (void*)&s, &q, nullptr}; cuLaunchKernel(k, 1, 1, 1, 128, 1, 1, 0, 0, args, 0); }`,
			[]string{"module x.cubin of working directory", "lookup go in x.cubin", "cuLaunchKernel go(* 4 4 *) [128 1 1]"}},
		{"members", `static const char* kFile = "y.ptx"; constexpr const char kName[] = "go"; constexpr int kT = 64;
			struct K { CUmodule m_; CUfunction k_; void load() { cuModuleLoad(&m_, kFile); cuModuleGetFunction(&this->k_, m_, kName); } void go(int64_t n) { void* a[] = {&n}; cuLaunchKernel(k_, 1,1,1, kT,1,1, 0, s, a, nullptr); } };`,
			[]string{"module y.ptx of working directory", "lookup go in y.ptx", "cuLaunchKernel go(8) [64 1 1]"}},
		{"chevrons", "#define T 256\n__global__ void k(int* p, int n = 1);\nvoid f() { dim3 b(16, 16); k<<<1, b>>>(p); ns::q<float, 4><<<dim3(1), T, 0, s>>>(p, g(1, 2), a < b, c > d); }",
			[]string{"<<<>>> k(_) [16 16 1]", "<<<>>> q(_ _ _ _) [256 1 1]"}},
		{"a kernel in a variable", `void f() { auto k = &step<float>; k<<<1, 32>>>(p); (void)h; h<<<1, 1>>>(); g(); } void g(F k) { k<<<1, 32>>>(p); }`,
			[]string{"<<<>>> step(_) [32 1 1]", "<<<>>> h() [1 1 1]", "<<<>>> (_) [32 1 1]", "1: which kernel is launched: it is a variable that could not be followed"}},
		{"the runtime's call", `struct P { int a; double b; char c; }; void f(P p, const float* x) { void* a[] = {&p, &x}; cudaLaunchKernel((void*)go<float>, dim3(1), dim3(64, 2), a, 0, s); cudaLaunchKernelEx(&cfg, go<float>, p, x); }`,
			[]string{"cudaLaunchKernel go(24 *) [64 2 1]", "cudaLaunchKernelEx go(_ _)"}},
		{"no array", `void f(void** args) { cuLaunchKernel(k, 1,1,1, 1,1,1, 0, s, args, 0); } CUresult cuLaunchKernel(CUfunction f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned h, CUstream s, void** p, void** q);`,
			[]string{"cuLaunchKernel (?) [1 1 1]", "1: the arguments of the launch: args is no array that could be followed", "1: which kernel is launched: k could not be followed to a lookup"}},
		{"a branch of the preprocessor", "void f() {\n#if 0\nk<<<1, 1>>>();\n#else\nq<<<1, 2>>>(a,\n#ifdef X\nb,\n#endif\nc);\n#endif\n}",
			[]string{"<<<>>> k() [1 1 1] (off)", "<<<>>> q(?) [2 1 1]", "5: the arguments of the launch: an #if stands among them"}},
		{"a macro", "#define GO(k, ...) \\\n  k<<<1, 1>>>(__VA_ARGS__)\nvoid f() { GO(a, b); }",
			[]string{"2: a launch or a lookup in a macro: macros are not expanded"}},
		{"shifts and streams", `void f() { int x = 1 << 3; std::cout << "<<<" << x; x <<= 2; auto s = R"(k<<<1, 1>>>())"; /* k<<<1, 1>>>() */ }`, nil},
		{"from memory", `void f() { cuModuleLoadData(&m, image); cuModuleGetFunction(&k, m, "go"); }`,
			[]string{"lookup go in ", "1: which device code cuModuleLoadData loads: image could not be followed"}},
		{"comparisons", `void f() { void* a[] = {&x}; if (i < n && n > (3)) cuLaunchKernel(k, i < n, 1, 1, 8, 1, 1, 0, s, a, 0); }`,
			[]string{"cuLaunchKernel (_) [8 1 1]", "1: which kernel is launched: k could not be followed to a lookup"}},
	})
}

func TestPython(t *testing.T) {
	readAll(t, "x.py", []readCase{
		{"pycuda", "mod = cuda.module_from_file('x.cubin')\ngo = mod.get_function(\"go\")\ngo(a, np.int32(3), block=(64, 1, 1), grid=(1, 1))\n",
			[]string{"module x.cubin of working directory", "lookup go in x.cubin", "python call go(_ 4) [64 1 1]"}},
		{"cupy", "m = cp.RawModule(path='x.cubin')\nk = m.get_function('go')\nk((1,), (32, 2), (x, np.float64(1),))\nr = cp.RawKernel(src, 'add')\nr((1,), (8,), (x,))",
			[]string{"module x.cubin of working directory", "module  of run time", "lookup go in x.cubin", "lookup add in ", "python call go(_ 8) [32 2 1]", "python call add(_) [8 1 1]"}},
		{"what is bound elsewhere", "fns['f']((1,), (64,), (a, b))\nfns['g'](a, block=(8, 1, 1))\nnames['x'](1, 2)", []string{"1: a call of fns['f'], which is not known here", "2: a call of fns['g'], which is not known here"}},
		{"what is bound elsewhere, in a file with a card", "import cupy\nfns['f'](1, 2)\nown = {}\nown['f'](1, 2)", []string{"2: a call of fns['f'], which is not known here"}},
		{"cuda-python", "err, m = cuda.cuModuleLoad(b'x.cubin')\nerr, k = cuda.cuModuleGetFunction(m, b'go')\ncuda.cuLaunchKernel(k, 1, 1, 1, 16, 1, 1, 0, s, args.ctypes.data, 0)",
			[]string{"module x.cubin of working directory", "lookup go in x.cubin", "cuLaunchKernel go(?) [16 1 1]", "3: the arguments of the launch: args.ctypes.data is put together at run time"}},
		{"a member", "class K:\n    def __init__(self):\n        self.m = pycuda.SourceModule('''\n__global__ void go() {}\n''')\n        self.go = self.m.get_function('go')\n    def run(self):\n        self.go(a, b, block=(1, 1, 1))\n",
			[]string{"module  of run time", "lookup go in ", "python call go(_ _) [1 1 1]"}},
		{"no code", "import pycuda # m.get_function('a')\ns = 'm.get_function(\"b\")'\nk = m.get_function(f'{x}')",
			[]string{"3: the name that get_function looks up: it is put together at run time: f'{x}'"}},
	})
}

func TestOtherLanguage(t *testing.T) {
	if f := Read("x.txt", "launch"); len(f.Unread) != 1 {
		t.Errorf("got %+v, want that it is said", f)
	}
	if f := Read("x.rs", "load_function"+strings.Repeat(" ", maxText)); len(f.Unread) != 1 {
		t.Errorf("got %+v, want that it is said", f)
	}
}
