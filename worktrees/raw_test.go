package worktrees

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rawPaths are the files that are not in git as they are on disk, and whether git
// would check them out so.
func (r repo) rawPaths() map[string]bool {
	r.tb.Helper()
	d, err := ReadDraft(r.tb.Context(), r.lane(), r.state())
	r.check(err)
	list, err := ReadRaw(r.tb.Context(), r.lane(), d)
	r.check(err)
	out := make(map[string]bool)
	for _, raw := range list {
		out[raw.Path] = raw.Odd
	}
	return out
}

// A plain checkout is as git has it, whatever it converts on the way; what somebody
// put in, and git takes out again, is odd, by whatever name.
func TestReadRaw(t *testing.T) {
	r := newRepo(t)
	is := func(name string, want map[string]bool) {
		t.Helper()
		if d := cmp.Diff(want, r.rawPaths()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	none := map[string]bool{}
	r.write("README", "read\r\nme\r\n")
	is("nothing is converted", none)
	r.git("checkout", "-q", "README")

	r.write(".gitattributes", "* text=auto\nREADME text eol=crlf\n*.lfs filter=lfs\n")
	r.write("big.lfs", "pointer\n")
	r.git("-c", "filter.lfs.clean=cat", "add", "-A")
	r.git("commit", "-qm", "rules")
	r.remove("README")
	r.git("checkout", "-q", "README") // with carriage returns now
	is("as it is checked out", none)
	// Copied with all else, so that no time is git's: still as it is checked out.
	r.write("README", "read me\r\n")
	is("written again", none)

	for _, path := range []string{"with\nnewline/x\ny", "[glob]*/:(top)?", "ünï/cødé"} {
		r.write(path, "a line\r\n")
		r.git("add", "-A")
		r.git("commit", "-qm", "x")
		is(path, map[string]bool{path: true})
		r.git("update-index", "-q", "--refresh")
		is(path+", after git has looked", map[string]bool{path: true})
		r.write(path, "a line\n")
		is(path+" put back", none)
	}
	r.write("src/a.go", "package b\r\n")
	is("modified", map[string]bool{"src/a.go": false})
	r.git("checkout", "-q", "src/a.go")

	r.chmod("src/a.go", 0o755)
	is("git sees modes", none)
	r.git("config", "core.fileMode", "false")
	if !keepsModes(r.dir) {
		t.Skip("needs a file system that is known to keep modes")
	}
	is("and does not", map[string]bool{"src/a.go": true})
}
