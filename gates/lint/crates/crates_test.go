package crates

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// workspace writes one: a root package with a member in crates/decay, whose targets stand
// in every place, and another in crates/util; a package beside them that is excluded.
func workspace(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"Cargo.toml":                          "[package]\nname = \"top\"\nversion = \"1.2.3\"\nedition = \"2021\"\n[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/out\"]\n",
		"src/lib.rs":                          "",
		"tests/whole.rs":                      "",
		"crates/out/Cargo.toml":               "[package]\nname = \"out\"\nversion = \"0.1.0\"\n",
		"crates/out/src/lib.rs":               "",
		"crates/util/Cargo.toml":              "[package]\nname = \"util\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"crates/util/src/main.rs":             "fn main() {}",
		"crates/util/tests/flaky.rs":          "",
		"crates/decay/Cargo.toml":             "[package]\nname = \"decay\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\ngpu = [\"big\"]\nbig = []\n[lib]\ntest = false\n[[test]]\nname = \"named\"\npath = \"checks/other.rs\"\n[[test]]\nname = \"gpu\"\nrequired-features = [\"big\"]\n",
		"crates/decay/src/lib.rs":             "",
		"crates/decay/src/bin/tool.rs":        "fn main() {}",
		"crates/decay/tests/flaky.rs":         "mod common; mod inner { mod deep; }\n#[path = \"../elsewhere/x.rs\"]\nmod x;\n// mod no;\nconst S: &str = \"mod no;\";\ninclude!(\"more.inc\");",
		"crates/decay/tests/common/mod.rs":    "mod helper;",
		"crates/decay/tests/common/helper.rs": "",
		"crates/decay/tests/inner/deep.rs":    "",
		"crates/decay/tests/no.rs":            "",
		"crates/decay/tests/more.inc":         "",
		"crates/decay/tests/gpu.rs":           "",
		"crates/decay/tests/group/main.rs":    "mod part;",
		"crates/decay/tests/group/part.rs":    "",
		"crates/decay/elsewhere/x.rs":         "mod y;",
		"crates/decay/elsewhere/y.rs":         "",
		"crates/decay/checks/other.rs":        "",
		"crates/decay/benches/fast.rs":        "",
		"crates/decay/examples/show.rs":       "fn main() {}",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asked runs cargo.
func asked(ctx context.Context, dir string, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	return cmd.Output()
}

func noCargo(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("no cargo") }

// TestSelect: what commands choose is the same by cargo's metadata and by the manifests
// alone. (The table is what cargo 1.95 builds of it, by its --message-format=json.)
func TestSelect(t *testing.T) {
	dir := workspace(t)
	asks := map[string]Ask{"manifests": noCargo, "cargo": asked}
	if _, err := exec.LookPath("cargo"); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs cargo")
		}
		delete(asks, "cargo")
	}
	for name, ask := range asks {
		for _, tt := range []struct{ at, words, want string }{
			{".", "", "top/top top/whole"},
			{".", "--workspace", "decay/flaky decay/group decay/named decay/no decay/tool top/top top/whole util/flaky util/util"},
			{".", "--workspace --exclude ut* --test=*", "decay/flaky decay/gpu decay/group decay/named decay/no top/whole"},
			{".", "--workspace --lib", "decay/decay top/top"},
			{".", "--workspace --bins", "decay/tool util/util"},
			{".", "-p decay --test flaky", "decay/flaky"},
			{".", "-pdecay --test=fl*", "decay/flaky"},
			{".", "-p util@0.1.0", "util/flaky util/util"},
			{".", "-p util@0.2.0", "!"},
			{".", "-p path+file:///x/crates/util#util@0.1.0 --tests", "util/flaky util/util"},
			{".", "-p util -p top --test whole --test flaky", "top/whole util/flaky"},
			{".", "-p decay --features gpu --tests", "decay/flaky decay/gpu decay/group decay/named decay/no decay/tool"},
			{".", "-p decay --all-targets", "decay/decay decay/fast decay/flaky decay/group decay/named decay/no decay/show decay/tool"},
			{".", "-p decay --bench fast --example show", "decay/fast decay/show"},
			{".", "-p nosuch", "!"},
			{".", "-p top --doc", ""},
			{"crates/decay", "--test flaky", "decay/flaky"},
			{"crates/util", "some_test -- --nocapture", "util/flaky util/util"},
		} {
			space, err := Read(t.Context(), filepath.Join(dir, tt.at, "Cargo.toml"), ask)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			c, err := Parse(strings.Fields(tt.words))
			if err != nil {
				t.Fatalf("%s: %v", tt.words, err)
			}
			var got []string
			list, err := space.Select(c, filepath.Join(dir, tt.at))
			for _, x := range list {
				got = append(got, x.Package+"/"+x.Name)
			}
			slices.Sort(got)
			text := strings.Join(got, " ")
			if err != nil {
				text = "!"
			}
			if text != tt.want {
				t.Errorf("%s: cargo test %s in %s: got %q, want %q", name, tt.words, tt.at, text, tt.want)
			}
		}
	}
}

// TestSources: the modules of a target are where rustc looks for them, and what stands in
// comments and strings is none.
func TestSources(t *testing.T) {
	dir := workspace(t)
	space, err := Read(t.Context(), filepath.Join(dir, "Cargo.toml"), noCargo)
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) (string, bool) {
		data, err := os.ReadFile(path)
		return string(data), err == nil
	}
	got := make(map[string][]string)
	for _, p := range space.Packages {
		for _, x := range p.Targets {
			for _, src := range x.Sources(read, nil) {
				rel, _ := filepath.Rel(p.Dir, src.Path)
				got[p.Name+"/"+x.Name] = append(got[p.Name+"/"+x.Name], strings.TrimSuffix(rel+" "+src.Module, " "))
			}
		}
	}
	want := []string{"tests/flaky.rs", "tests/common/mod.rs common", "tests/common/helper.rs common::helper", "tests/inner/deep.rs inner::deep", "elsewhere/x.rs x", "elsewhere/y.rs x::y", "tests/more.inc"}
	if d := cmp.Diff(want, got["decay/flaky"]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"tests/group/main.rs", "tests/group/part.rs part"}, got["decay/group"]); d != "" {
		t.Error(d)
	}
}

func TestParse(t *testing.T) {
	for words, bad := range map[string]bool{
		"test ? --lib": false, "--features ? --test x": false, "--target ?": false, "-p ?": true, "--test ?": true, "?": true, "-- ?": true, "--no-run ?": false, "-E test(x)": true, "--run-ignored all": false,
	} {
		list := strings.Fields(words)
		for i, w := range list {
			if w == "?" {
				list[i] = ""
			}
		}
		if words == "test ? --lib" {
			list = []string{"--lib", "--features=" + Hole}
		}
		if _, err := Parse(list); (err != nil) != bad {
			t.Errorf("%s: %v", words, err)
		}
	}
	c, err := Parse([]string{"a", "--", "b::c", "--skip", "d", "--test-threads=1", "--exact", "--include-ignored"})
	if err != nil || !c.Ignored || !c.Runs("a") || !c.Runs("b::c") || c.Runs("x::a") || c.Runs("d") {
		t.Errorf("got %+v, %v", c, err)
	}
}

// FuzzBlank: every byte of a source keeps its place and every line its number, and what
// is blanked once stays so.
func FuzzBlank(f *testing.F) {
	for _, s := range []string{`fn a<'x>() { let c = '{'; let s = "a\"}"; } // }`, `r#"}"# br"x" /* a /* b */ c */`, `'\u{1F600}' '\'' b'{'`, "mod a { mod b; }", `"`, `r"`, `/*`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code := Blank(text)
		if len(code) != len(text) || strings.Count(code, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q became %q", text, code)
		}
		for _, s := range Nest(code) {
			if s.from > s.to || s.to > len(code) {
				t.Fatalf("%+v of %q", s, code)
			}
		}
		named(text, "/a", "/a")
	})
}

// FuzzParse: whatever a command says, it is read or refused.
func FuzzParse(f *testing.F) {
	f.Add("-p a --test b -- c --skip d")
	f.Add("--features")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(strings.Split(text, " "))
		if err == nil {
			(&Space{Packages: []Package{{Name: "a", Targets: []Target{{Kind: Test, Name: "b"}}}}}).Select(c, "/")
		}
	})
}
