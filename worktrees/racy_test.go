package worktrees

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// lateLineEndings commits a file with carriage returns and afterwards a rule
// against them. Git calls the file modified once it looks at the content.
func lateLineEndings(r repo) {
	r.write("crlf.txt", "a\r\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "crlf")
	r.write(".gitattributes", "*.txt text\n")
	r.git("add", ".gitattributes")
	r.git("commit", "-qm", "attributes")
	now := time.Now().Add(-time.Minute)
	r.check(os.Chtimes(r.path("crlf.txt"), now, now))
}

// A file changed so soon after git looked that its stat data does not show it.
// The clock is too fine to hit that by chance, so the index is made to agree
// with the changed file, and to be as old as it.
func TestRacyEdit(t *testing.T) {
	r := newRepo(t)
	r.write("README", "RACE ME\n")
	var st unix.Stat_t
	r.check(unix.Lstat(r.path("README"), &st))
	data, err := os.ReadFile(r.path(".git/index"))
	r.check(err)
	x, err := parseIndex(data)
	r.check(err)
	found := false
	for _, e := range x.entries {
		if string(e.path) == "README" {
			found = true
			for i, value := range []int64{st.Ctim.Sec, st.Ctim.Nsec, st.Mtim.Sec, st.Mtim.Nsec} {
				binary.BigEndian.PutUint32(e.fixed[4*i:], uint32(value))
			}
			binary.BigEndian.PutUint32(e.fixed[20:], uint32(st.Ino))
		}
	}
	r.check(os.WriteFile(r.path(".git/index"), data, 0o644))
	when := time.Unix(st.Mtim.Unix())
	r.check(os.Chtimes(r.path(".git/index"), when, when))
	if ask, err := r.proven(); err != nil || !found || !cmp.Equal(ask, []string{"README"}) {
		t.Errorf("candidates = %q, %v; want README", ask, err)
	}
	if !r.state().Dirty {
		t.Error("not dirty")
	}
}
