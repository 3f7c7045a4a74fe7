package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crates is a workspace of a library with a build script, a program that uses
// it, tests of both, and C that only the build script knows of.
var crates = map[string]string{
	".gitignore":              "/target/\n/lib/src/made.rs\n",
	"Cargo.toml":              "[workspace]\nmembers = [\"lib\", \"app\", \"idle\"]\nresolver = \"2\"\n",
	"README.md":               "read me\n",
	"lib/Cargo.toml":          "[package]\nname = \"my-lib\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"lib/build.rs":            "fn main() { println!(\"cargo:rerun-if-changed=c/kernel.c\"); let out = std::env::var(\"OUT_DIR\").unwrap(); std::fs::write(out + \"/gen.rs\", \"pub fn gen() -> i32 { 7 }\").unwrap(); }\n",
	"lib/c/kernel.c":          "int kernel;\n",
	"lib/src/lib.rs":          "mod made; pub mod deep; include!(concat!(env!(\"OUT_DIR\"), \"/gen.rs\")); pub fn f() -> i32 { 1 + made::m() } pub const T: &str = include_str!(\"a b#c.txt\");\n",
	"lib/src/made.rs":         "pub fn m() -> i32 { 0 }\n",
	"lib/src/deep.rs":         "pub fn k() {}\n",
	"lib/src/unused.rs":       "not even Rust\n",
	"lib/src/a b#c.txt":       "text\n",
	"lib/tests/own.rs":        "#[test] fn t() { assert_eq!(my_lib::f(), 1); }\n",
	"app/Cargo.toml":          "[package]\nname = \"my-app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nmy-lib = { path = \"../lib\" }\n",
	"app/src/main.rs":         "fn main() { println!(\"{}\", my_lib::f()) }\n",
	"app/tests/it.rs":         "mod common; #[test] fn t() { common::c(); assert_eq!(my_lib::f(), 1); }\n",
	"app/tests/other.rs":      "#[test] fn t() {}\n",
	"app/tests/ui/x.rs":       "fixture\n",
	"app/tests/common/mod.rs": "pub fn c() {}\n",
	"idle/Cargo.toml":         "[package]\nname = \"idle\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"idle/src/lib.rs":         "pub fn idle() {}\n",
}

// cargo makes the workspace and builds what argv says; products are the paths
// that cargo prints.
func cargo(t *testing.T, argv ...string) (r repo, products []string) {
	t.Helper()
	needs(t, "cargo")
	needs(t, "cc")
	r = newRepo(t, crates)
	r.run("cargo", "generate-lockfile", "--offline")
	r.commit()
	return r, r.build(argv...)
}

// build runs cargo and returns the executables that it names.
func (r repo) build(argv ...string) (products []string) {
	r.tb.Helper()
	out := r.run(append([]string{"cargo"}, argv...)...)
	for line := range strings.Lines(out) {
		if _, rest, ok := strings.Cut(line, "Executable "); ok {
			_, path, _ := strings.Cut(rest, "(")
			path = strings.TrimSuffix(strings.TrimSpace(path), ")")
			if !filepath.IsAbs(path) {
				path = r.path(path)
			}
			products = append(products, path)
		}
	}
	return products
}

func TestInputsOfCargo(t *testing.T) {
	r, products := cargo(t, "test", "--offline", "--no-run", "-p", "my-app", "-p", "my-lib")
	it := slices.IndexFunc(products, func(p string) bool { return strings.HasPrefix(filepath.Base(p), "it-") })
	if it < 0 {
		t.Fatalf("products %q", products)
	}
	in := Of(products[it:it+1], r.dir, r.path("target"))
	want := []string{
		"app/src/main.rs", // it may start the program
		"app/tests/common/mod.rs", "app/tests/it.rs",
		"lib/build.rs", "lib/src/a b#c.txt", "lib/src/deep.rs", "lib/src/lib.rs", "lib/src/made.rs",
	}
	if diff := cmp.Diff(want, in.Files); diff != "" || !in.Known || !slices.Equal(in.Told, []string{"rust"}) {
		t.Errorf("inputs of %s: %+v\n%s", products[it], in, diff)
	}
	if own := in.sources[products[it]]; !slices.Equal(own, []string{r.path("app/tests/it.rs"), r.path("app/tests/common/mod.rs")}) {
		t.Errorf("its own: %q", own)
	}

	s := r.take(in)
	if _, ok := s.Ignored["lib/src/made.rs"]; !ok || len(s.Ignored) != 1 {
		t.Errorf("ignored: %+v", s.Ignored)
	}
	for path, counts := range map[string]bool{
		"app/tests/new.rs": true, "lib/benches/new.rs": true, "lib/examples/two/main.rs": true, "app/src/bin/new.rs": true,
		"app/src/bin/new/main.rs": true, "app/src/lib.rs": true, "app/src/bin/new/part.rs": false, "idle/tests/new.rs": false,
		"app/tests/it.rs": true, "lib/src/deep.rs": true, "app/src/main.rs": true, "lib/build.rs": true,
		"lib/c/kernel.c": true, "Cargo.toml": true, "Cargo.lock": true, "README.md": true, "app/tests/ui/x.rs": true,
		"rust-toolchain.toml": true, "lib/src/made.rs": true, "lib/src/a b#c.txt": true,
		"app/tests/other.rs": false, "lib/tests/own.rs": false, "lib/src/unused.rs": false, "idle/src/lib.rs": false, "new/new.rs": false,
	} {
		before, err := os.ReadFile(r.path(path))
		r.write(path, string(before)+"// more\n")
		if c := r.since(s); c.Stale() != counts || counts && (c.First != path || c.Count != 1) {
			t.Errorf("%s changed: %+v, want stale %v", path, c, counts)
		}
		if r.check(os.Remove(r.path(path))); err == nil {
			r.write(path, string(before))
		}
		if c := r.since(s); c.Stale() {
			t.Errorf("%s put back: %s", path, c)
		}
	}
}

// The program that cargo copied into the profile's directory is told by the unit
// it is a copy of; what lies beside it from other builds does not confuse.
func TestInputsOfProgram(t *testing.T) {
	r, _ := cargo(t, "build", "--offline", "-p", "my-app")
	r.build("build", "--offline", "--release", "-p", "my-app")
	for _, program := range []string{"target/debug/my-app", "target/release/my-app"} {
		in := Of([]string{r.path(program)}, r.dir, r.path("target"))
		want := []string{"app/src/main.rs", "lib/build.rs", "lib/c/kernel.c", "lib/src/a b#c.txt", "lib/src/deep.rs", "lib/src/lib.rs", "lib/src/made.rs"}
		if diff := cmp.Diff(want, in.Files); diff != "" || !in.Known {
			t.Errorf("%s: %+v\n%s", program, in, diff)
		}
	}
	// Without the unit, cargo's own list beside the copy may be an old one.
	deps, err := filepath.Glob(r.path("target/debug/deps/my_app-*.d"))
	r.check(err)
	for _, dep := range deps {
		r.check(os.Remove(dep))
	}
	if in := Of([]string{r.path("target/debug/my-app")}, r.dir, r.path("target")); in.Known || len(deps) == 0 {
		t.Errorf("known all the same: %+v", in)
	}
}

// Whole trees count where nothing tells.
func TestInputsUnknown(t *testing.T) {
	r := newRepo(t, map[string]string{"tool": "#!/bin/sh\n", "a.c": "int a;\n", "b.rs": "fn b() {}\n"})
	in := Of([]string{r.path("tool")}, r.dir, r.path("target"))
	if in.Known || !strings.Contains(in.Why, "built from") || len(in.Files) > 0 {
		t.Errorf("%+v", in)
	}
	if in := Of(nil, r.dir, ""); in.Known {
		t.Errorf("of nothing: %+v", in)
	}
	s := r.take(in)
	r.write("b.rs", "fn c() {}\n")
	if c := r.since(s); c.First != "b.rs" {
		t.Errorf("%+v", c)
	}
}

// Objects of make, and a program whose dependency files are named.
func TestInputsOfMake(t *testing.T) {
	needs(t, "gcc")
	r := newRepo(t, map[string]string{
		".gitignore": "/obj/\n", "src/a.c": "#include \"a.h\"\nint main(void) { return A; }\n", "src/a.h": "#include \"../gen.h\"\n",
		"gen.h": "#define A 0\n", "src/b.c": "int b;\n", "other.c": "int o;\n",
	})
	r.check(os.Mkdir(r.path("obj"), 0o755))
	r.run("gcc", "-MMD", "-c", "-o", "obj/a.o", "src/a.c")
	r.run("gcc", "-MMD", "-c", "-o", "obj/b.o", "src/b.c")
	r.run("gcc", "-o", "obj/prog", "obj/a.o", "obj/b.o")
	object := Of([]string{r.path("obj/a.o")}, r.dir, "")
	if want := []string{"gen.h", "src/a.c", "src/a.h"}; !object.Known || !slices.Equal(object.Files, want) || !slices.Equal(object.Told, []string{"c"}) {
		t.Errorf("object: %+v", object)
	}
	if in := Of([]string{r.path("obj/prog")}, r.dir, ""); in.Known {
		t.Errorf("program: %+v", in)
	}
	named := Of([]string{r.path("obj/prog"), r.path("obj/a.d"), r.path("obj/b.d")}, r.dir, "")
	if want := []string{"gen.h", "src/a.c", "src/a.h", "src/b.c"}; !named.Known || !slices.Equal(named.Files, want) {
		t.Errorf("program with named files: %+v", named)
	}
	s := r.take(named)
	r.write("other.c", "int p;\n")
	if c := r.since(s); c.Stale() {
		t.Errorf("%s", c)
	}
	r.write("new.rs", "")
	if c := r.since(s); c.First != "new.rs" { // nothing tells of Rust here
		t.Errorf("%+v", c)
	}
}

// A crate beside the lane is read like one in it: its sources and its manifest;
// the registry and the toolchain are not held against.
func TestInputsOutside(t *testing.T) {
	needs(t, "cargo")
	needs(t, "cc")
	r := newRepo(t, map[string]string{
		".gitignore": "/target/\nCargo.lock\n",
		"Cargo.toml": "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nshared-crate = { path = \"../shared-crate\" }\n",
		"src/lib.rs": "pub fn f() -> i32 { shared_crate::g() }\n", "tests/it.rs": "#[test] fn t() { inner::f(); }\n",
	})
	r.write("../shared-crate/Cargo.toml", "[package]\nname = \"shared-crate\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
	r.write("../shared-crate/src/lib.rs", "mod deep; pub fn g() -> i32 { deep::h() }\n")
	r.write("../shared-crate/src/deep.rs", "pub fn h() -> i32 { 1 }\n")
	products := r.build("test", "--offline", "--no-run", "--test", "it")
	in := Of(products, r.dir, r.path("target"))
	shared := filepath.Join(filepath.Dir(r.dir), "shared-crate")
	want := []string{shared + "/Cargo.toml", shared + "/src/deep.rs", shared + "/src/lib.rs"}
	if diff := cmp.Diff(want, in.Outside); diff != "" || !in.Known {
		t.Fatalf("%+v\n%s", in, diff)
	}
	s := r.take(in)
	for _, path := range want {
		before, err := os.ReadFile(path)
		r.check(err)
		r.check(os.WriteFile(path, append(before, '\n'), 0o644))
		if c := r.since(s); c.First != path || c.Count != 1 || c.Since.IsZero() {
			t.Errorf("%s changed: %+v", path, c)
		}
		r.check(os.WriteFile(path, before, 0o644))
		if c := r.since(s); c.Stale() {
			t.Errorf("%s put back: %s", path, c)
		}
	}
	r.check(os.RemoveAll(shared))
	if c := r.since(s); c.Count != 3 {
		t.Errorf("all gone: %+v", c)
	}
}
