package propose

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that a plain cargo here compiles to nothing makes no gate: what it is
// for is said.
func TestOtherSystem(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "p", "tests"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("p/build.rs", `fn main() { println!("cargo:rustc-cfg=probed"); }`)
	for cfg, want := range map[string]string{
		"exhaustive": "with --cfg exhaustive", "miri": "with --cfg miri", "probed": "", "unix": "", "test": "",
		"windows": "on windows", `target_os = "macos"`: "on macos", `feature = "std"`: "", "not(miri)": "", "all(unix, test)": "",
	} {
		write("p/tests/t.rs", "#![cfg("+cfg+")]\n#[test] fn t() {}\n")
		if got := (&rustSources{root: dir}).otherSystem("p/tests/t.rs"); got != want {
			t.Errorf("%s: got %q, want %q", cfg, got, want)
		}
	}
	write("p/tests/t.rs", "#[test] fn t() {}\n")
	if got := (&rustSources{root: dir}).otherSystem("p/tests/t.rs"); got != "" {
		t.Errorf("without one: got %q", got)
	}
}
