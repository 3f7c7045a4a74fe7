package propose

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// twinFiles are a workspace of two members, one of which has the name of a package
// that the other one depends on.
func twinFiles(t *testing.T) string {
	t.Helper()
	root := newRoot(t)
	for name, text := range map[string]string{
		"Cargo.toml":              "[workspace]\nresolver = \"2\"\nmembers = [\"crates/*\"]\nexclude = [\"earlier\"]\n",
		"crates/ring/Cargo.toml":  "[package]\nname = \"ring-of\"\nversion = \"0.2.0\"\nedition = \"2021\"\n",
		"crates/ring/src/lib.rs":  "pub fn two() -> u32 { 2 }\n",
		"crates/ring/tests/it.rs": "#[test]\nfn two() { assert_eq!(ring_of::two(), 2) }\n",
		"crates/user/Cargo.toml":  "[package]\nname = \"user-of\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nbefore = { package = \"ring-of\", path = \"../../earlier\" }\n",
		"crates/user/src/lib.rs":  "pub use before::one;\n",
		"crates/user/tests/u.rs":  "#[test]\nfn one() { assert_eq!(user_of::one(), 1) }\n",
		"earlier/Cargo.toml":      "[package]\nname = \"ring-of\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"earlier/src/lib.rs":      "pub fn one() -> u32 { 1 }\n",
	} {
		write(t, root, name, text)
	}
	return root
}

// A member whose name a dependency has, too, is selected so that cargo takes it.
func TestLookAtTwins(t *testing.T) {
	needTool(t, "cargo")
	root := twinFiles(t)
	p, err := Look(t.Context(), Options{Root: root, Below: "."})
	if err != nil {
		t.Fatal(err)
	}
	text := lines(p)
	for _, want := range []string{
		"run   cargo test --manifest-path crates/ring/Cargo.toml --test it\n",
		"run   cargo test -p user-of --test u\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	ran := 0
	for _, g := range p.Gates {
		for _, argv := range g.Run {
			cmd := exec.CommandContext(t.Context(), argv[0], append(argv[1:], "--offline")...)
			cmd.Dir = filepath.Join(root, g.Dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%q: %v: %s", argv, err, out)
			}
			ran++
		}
	}
	if ran < 2 {
		t.Errorf("%d commands ran", ran)
	}
	// By now there is a Cargo.lock: it tells the same to who has no cargo.
	s := &survey{opt: Options{Root: root}}
	ws := cargoSpace{dir: ".", crates: []crate{{name: "ring-of", dir: "crates/ring"}, {name: "user-of", dir: "crates/user"}, {name: "ring", dir: "."}}}
	s.findTwins(&ws, nil)
	if got := strings.Join(ws.pick("ring-of"), " "); got != "--manifest-path crates/ring/Cargo.toml" || len(ws.twins) != 1 {
		t.Errorf("selected by %q; twins %q", got, ws.twins)
	}
	ws.crates[0] = crate{name: "ring-of", dir: ".", version: "0.2.0"}
	s.findTwins(&ws, nil)
	if got := strings.Join(ws.pick("ring-of"), " "); got != "-p ring-of@0.2.0" {
		t.Errorf("selected by %q", got)
	}
}
