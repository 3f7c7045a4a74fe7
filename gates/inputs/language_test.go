package inputs

import "testing"

// What is built from, or read by a run, is not taken for prose by the end of its name.
func TestProse(t *testing.T) {
	for file, want := range map[string]bool{
		"README.md": true, "docs/design.rst": true, "docs/a.adoc": true, "LICENSE": true, "crates/a/LICENSE-APACHE": true, "README.txt": true,
		"NOTICE": true, "AUTHORS": true, "latest/README.md": true, "contest.md": true,
		"CMakeLists.txt": false, "sub/CMakeLists.txt": false, "requirements.txt": false, "requirements-dev.txt": false, "notes.txt": false,
		"golden/report.md": false, "testdata/README": false, "tests/ui/a.md": false, "Tests/a.rst": false, "a/fixtures/x/LICENSE": false,
		"expected_output/a.md": false, "data/tol.md": false, "README.sh": false, "changes": false, "NOTICE.c": false, "READMES": false,
	} {
		if got := prose(file); got != want {
			t.Errorf("%s: prose %v, want %v", file, got, want)
		}
	}
}
