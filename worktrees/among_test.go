package worktrees

import (
	"fmt"
	"strings"
	"testing"
)

// Many commits at once: of the branch, of another one, of one that was amended,
// and of none; an id that is none goes nowhere.
func TestAmong(t *testing.T) {
	r := newRepo(t)
	var ours, others []string
	for i := range 5 {
		r.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("ours", i))
		ours = append(ours, r.id("HEAD"))
	}
	r.git("commit", "-q", "--amend", "--allow-empty", "-m", "amended")
	r.git("checkout", "-q", "-b", "side", ours[1])
	for i := range 150 {
		others = append(others, r.commitTree(fmt.Sprint("side", i)))
	}
	gone := strings.Repeat("1", 40)
	asked := append(append([]string{"", gone, "--all", "HEAD"}, ours...), others...)
	on, err := Among(t.Context(), r.lane(), r.id("trunk"), append(asked, asked...))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range asked {
		want := i >= 4 && i < 8 // the fifth of ours was amended
		if on[c] != want {
			t.Errorf("%d %q: %v", i, c, on[c])
		}
		if single, err := Contains(t.Context(), r.lane(), r.id("trunk"), c); i > 3 && i < 12 && (err != nil || single != want) {
			t.Errorf("%d alone: %v, %v", i, single, err)
		}
	}
	if on, err := Among(t.Context(), r.lane(), "", ours); err != nil || len(on) > 0 {
		t.Errorf("of no tip: %v, %v", on, err)
	}
	if _, err := Among(t.Context(), r.lane(), gone, ours); err == nil {
		t.Error("a tip that is not there has commits")
	}
}

// commitTree makes a commit on top of HEAD without a checkout.
func (r repo) commitTree(message string) string {
	r.tb.Helper()
	return strings.TrimSpace(r.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", message))
}
