package worktrees

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRandomEdits makes hundreds of edits, and after each holds Dirty and the
// paths against git. The seed is fixed so that a failure comes again; the
// names are few so that edits meet each other.
func TestRandomEdits(t *testing.T) {
	r := newRepo(t)
	rng := rand.New(rand.NewPCG(2, 50_000))
	rounds, clean := 60, 0
	if os.Getenv("GPUCI_SOAK") == "1" {
		rounds = 1500
	}
	for round := range rounds {
		what := r.edit(rng)
		ask, err := r.proven()
		st, stateErr := ReadState(context.Background(), r.lane())
		if err != nil || stateErr != nil {
			t.Fatalf("round %d, %s: %v, %v", round, what, err, stateErr)
		}
		told := r.told()
		if !slices.Equal(st.Paths, told) || st.Dirty != (len(told) > 0) || (len(ask) == 0 && st.Dirty) {
			t.Fatalf("round %d, %s:\nstate %+v\ncandidates %q\ngit says %q", round, what, st, ask, told)
		}
		if len(ask) == 0 {
			clean++
		}
	}
	if clean < rounds/10 {
		t.Errorf("the lane was proven clean only %d times of %d: too few to say anything", clean, rounds)
	}
}

// told returns the paths a plain git status names, sorted.
func (r repo) told() []string {
	r.tb.Helper()
	var paths []string
	for _, line := range splitNUL([]byte(r.git("--no-optional-locks", "status", "--porcelain", "-z", "--no-renames", "-uall"))) {
		paths = append(paths, strings.TrimSuffix(line[3:], "/"))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// edit does one random thing to the repository and says what.
func (r repo) edit(rng *rand.Rand) string {
	r.tb.Helper()
	names := []string{"README", "src/a.go", "src/n", "src/deep/er/b.go", "src/deep/x.log", "src-x", "src-x/c.go", "new/a", "new", "x.o", "target/x"}
	path := names[rng.IntN(len(names))]
	switch rng.IntN(16) {
	case 0, 1, 2:
		r.replace(path, fmt.Sprintf("%d\n", rng.IntN(3)))
		return "write " + path
	case 3:
		r.remove(path)
		return "remove " + path
	case 4:
		if info, err := os.Lstat(r.path(path)); err == nil && info.Mode().IsRegular() {
			r.chmod(path, 0o644|os.FileMode(rng.IntN(2)*0o111))
		}
		return "chmod " + path
	case 5:
		if info, err := os.Lstat(r.path(path)); err == nil && info.Mode().IsRegular() {
			when := time.Now().Add(-time.Duration(rng.IntN(4)) * time.Second)
			r.check(os.Chtimes(r.path(path), when, when))
		}
		return "touch " + path
	case 6:
		r.remove(path)
		r.makeRoom(path)
		r.symlink("README", path)
		return "link " + path
	case 7, 8:
		r.git("add", "-A")
		return "add"
	case 9, 10, 11:
		r.git("add", "-A")
		r.git("commit", "-qm", "x", "--allow-empty")
		return "commit"
	case 12:
		r.git("reset", "-q", "--hard")
		return "reset --hard"
	case 13:
		r.git("reset", "-q")
		return "reset"
	case 14:
		r.git("update-index", "--index-version", fmt.Sprint(2+2*rng.IntN(2)))
		return "index version"
	default:
		r.git("reset", "-q", "--hard")
		r.git("clean", "-fdq")
		r.settle()
		return "clean and settle"
	}
}

// replace puts a file at path, whatever was there or above it.
func (r repo) replace(path, text string) {
	r.tb.Helper()
	if info, err := os.Lstat(r.path(path)); err == nil && !info.Mode().IsRegular() {
		r.remove(path)
	}
	r.makeRoom(path)
	r.write(path, text)
}

// makeRoom removes a file that stands where path's directory should be.
func (r repo) makeRoom(path string) {
	r.tb.Helper()
	parent := filepath.Dir(path)
	if info, err := os.Lstat(r.path(parent)); err == nil && !info.IsDir() {
		r.remove(parent)
	}
}
