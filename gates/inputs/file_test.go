package inputs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/worktrees"
)

// takeSince takes the snapshot of a gate that began at a time.
func (r repo) takeSince(in Inputs, begun time.Time) Snapshot {
	r.tb.Helper()
	d, err := worktrees.ReadDraft(r.tb.Context(), r.lane(), r.state())
	r.check(err)
	s, err := Take(r.tb.Context(), r.lane(), Before{Draft: d, At: begun}, in)
	r.check(err)
	return s
}

// What git does not know and somebody changed while the gate ran was not judged,
// whatever time it was given; what a generator wrote for the gate's own build was.
func TestChangedMeanwhile(t *testing.T) {
	needs(t, "gcc")
	r := newRepo(t, map[string]string{".gitignore": "*.o\n*.d\nmade.h\n", "a.c": "#include \"made.h\"\n#include \"../beside.h\"\n"})
	r.write("../beside.h", "int b;\n")
	beside := filepath.Join(filepath.Dir(r.dir), "beside.h")
	begun := time.Now()
	// Times are set far apart from the beginning, so that nothing here depends on a
	// clock's tick; the change of the inode cannot be set, and is after begun.
	r.write("made.h", "int a;\n")
	r.run("gcc", "-MMD", "-c", "a.c")
	products := []string{r.path("a.o"), r.path("a.d")}
	of := func() Inputs { return Of(products, r.dir, "") }
	if in := of(); !in.Known || len(in.Outside) != 1 {
		t.Fatalf("%+v", in)
	}
	s := r.takeSince(of(), begun.Add(-time.Hour))
	if c := r.since(s); c.First != beside || c.Count != 1 || !c.Meanwhile || !strings.Contains(c.String(), "beside.h changed while the gate ran") {
		t.Errorf("a header outside, and one made for the build: %+v", c)
	}
	if got := s.Meanwhile(); len(got) != 1 || got[0] != beside {
		t.Errorf("%q", got)
	}
	if c := r.since(r.takeSince(of(), time.Now().Add(time.Hour))); c.Stale() {
		t.Errorf("all from before: %+v", c)
	}

	// After the build, and dated back.
	r.touch("a.d", begun.Add(-time.Minute))
	r.write("made.h", "int edited;\n")
	r.touch("made.h", begun.Add(-2*time.Hour))
	if c := r.since(r.takeSince(of(), begun.Add(-time.Hour))); c.First != beside || c.Count != 2 {
		t.Errorf("made.h was edited after it was read: %+v", c)
	}

	// Later, at the same size and time.
	s = r.takeSince(of(), time.Now().Add(time.Hour))
	r.write("made.h", "int EDITED;\n")
	r.touch("made.h", begun.Add(-2*time.Hour))
	if c := r.since(s); c.First != "made.h" {
		t.Errorf("made.h was edited and dated back: %+v", c)
	}
}

// A crate beside the lane: what no dependency file names of it.
func TestCrateBeside(t *testing.T) {
	needs(t, "cargo")
	needs(t, "cc")
	r := newRepo(t, map[string]string{
		".gitignore": "/target/\nCargo.lock\n",
		"Cargo.toml": "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nwith-script = { path = \"../ws/with-script\" }\nplain = { path = \"../ws/plain\" }\n",
		"src/lib.rs": "pub fn f() -> i32 { with_script::g() + plain::g() }\n", "tests/it.rs": "#[test] fn t() { inner::f(); }\n",
	})
	r.write("../ws/Cargo.toml", "[workspace]\nmembers = [\"with-script\", \"plain\"]\n[workspace.package]\nversion = \"0.1.0\"\n")
	for _, name := range []string{"with-script", "plain"} {
		r.write("../ws/"+name+"/Cargo.toml", "[package]\nname = \""+name+"\"\nversion.workspace = true\nedition = \"2021\"\n")
		r.write("../ws/"+name+"/src/lib.rs", "pub fn g() -> i32 { 1 }\n")
	}
	r.write("../ws/with-script/build.rs", "fn main() { println!(\"cargo:rerun-if-changed=data/one.txt\"); println!(\"cargo::rerun-if-changed=../tables\"); }\n")
	r.write("../ws/with-script/data/one.txt", "1\n")
	r.write("../ws/tables/a.txt", "1\n")
	products := r.build("test", "--offline", "--no-run", "--test", "it")
	in := Of(products, r.dir, r.path("target"))
	s := r.take(in)
	ws := filepath.Join(filepath.Dir(r.dir), "ws")
	for path, first := range map[string]string{
		"with-script/build.rs": "", "plain/build.rs": "", "with-script/data/one.txt": "", "tables/a.txt": "", "Cargo.toml": "",
		"tables/b.txt": "tables", "plain/src/main.rs": "plain", "plain/tests/new.rs": "plain",
	} {
		full := filepath.Join(ws, path)
		before, err := os.ReadFile(full)
		r.write("../ws/"+path, string(before)+"// more\n")
		if first == "" {
			first = path
		}
		if c := r.since(s); c.First != filepath.Join(ws, first) || c.Count != 1 {
			t.Errorf("%s changed: %+v", path, c)
		}
		if r.check(os.Remove(full)); err == nil {
			r.write("../ws/"+path, string(before))
		}
		if c := r.since(s); c.Stale() {
			t.Errorf("%s put back: %s", path, c)
		}
	}
	r.write("../ws/plain/README.md", "1\n")
	if c := r.since(s); c.Stale() {
		t.Errorf("%s", c)
	}
}

func FuzzRerunOn(f *testing.F) {
	f.Add([]byte("cargo:rerun-if-changed=a b.c\ncargo::rerun-if-changed=/x\r\ncargo:rerun-if-changed=\nnoise"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, path := range rerunOn(data) {
			if path == "" || strings.ContainsAny(path, "\x00\n") || !strings.Contains(string(data), "rerun-if-changed="+path) {
				t.Errorf("%q of %q", path, data)
			}
		}
	})
}
