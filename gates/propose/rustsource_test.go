package propose

import "testing"

// TestRustTests: what makes a function a test need not begin its line.
func TestRustTests(t *testing.T) {
	for text, want := range map[string]rustFound{
		"#[test]\nfn t() {}\n":                                       {tests: true},
		"#[cfg(test)] mod t { #[test] fn one() {} }\n":               {tests: true},
		"mod t { use super::*; #[tokio::test] async fn one() {} }\n": {tests: true},
		"mod t {} #[cfg(test)] mod more;\n":                          {},
		"// as #[test] does\nfn t() {}\n":                            {},
		"mod t { #[ignore] #[test] fn one() {} }\n":                  {ignored: true},
		"#[test] #[ignore] fn one() {}\n":                            {ignored: true},
		"mod t { #[test] fn one() {} proptest! { } }\n":              {tests: true},
	} {
		root := t.TempDir()
		write(t, root, "lib.rs", text)
		if got := (&rustSources{root: root}).look([]string{"."}, false); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
