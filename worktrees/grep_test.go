package worktrees

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHolding: text files that have a text, with odd names, below a directory; and
// what they hold.
func TestHolding(t *testing.T) {
	r := newRepo(t)
	ctx := context.Background()
	r.write("src/a.go", "package a\n// look: here\n")
	r.write("with\nnewline/x\ny", "look: here")
	r.write("[glob]*/:(top)?", "look: here")
	r.write("src/blob", "look: here\x00")
	r.write("src/long", "look: here"+strings.Repeat("x", MaxText))
	r.git("add", "-A")
	r.git("commit", "-qm", "look")
	tree := strings.TrimSpace(r.git("rev-parse", "HEAD^{tree}"))
	for _, c := range []struct {
		dir  string
		want []string
	}{
		{"", []string{"[glob]*/:(top)?", "src/a.go", "src/long", "with\nnewline/x\ny"}},
		{"src", []string{"src/a.go", "src/long"}},
		{"[glob]*", []string{"[glob]*/:(top)?"}},
		{"bin", nil},
	} {
		got, more, err := Holding(ctx, r.lane(), tree, c.dir, "look: here")
		if d := cmp.Diff(c.want, got); d != "" || err != nil || more {
			t.Errorf("%q: %v %v %s", c.dir, more, err, d)
		}
	}
	texts, cut, err := Texts(ctx, r.lane(), tree, []string{"src/a.go", "src", "nothing here", "src/long", "with\nnewline/x\ny", "[glob]*/:(top)?"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{"src/a.go": []byte("package a\n// look: here\n"), "[glob]*/:(top)?": []byte("look: here")}
	if d := cmp.Diff(want, texts); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"with\nnewline/x\ny", "src/long"}, cut); d != "" {
		t.Error(d)
	}
	if _, _, err := Holding(ctx, r.lane(), strings.Repeat("7", 40), "", "x"); !errors.Is(err, ErrGone) {
		t.Errorf("of a tree that is not there: %v", err)
	}
}

// TestCommitOf: short ids, ones that are gone, and who wrote a line.
func TestCommitOf(t *testing.T) {
	r := newRepo(t)
	ctx := context.Background()
	head := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	c, err := CommitOf(ctx, r.lane(), head[:8])
	if err != nil || c.ID != head || c.When.IsZero() || c.Subject == "" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, id := range []string{"777777777", "--all", ""} {
		if _, err := CommitOf(ctx, r.lane(), id); !errors.Is(err, ErrGone) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if c, err := LineSince(ctx, r.lane(), "src/a.go", 1); err != nil || c.ID != head {
		t.Errorf("%+v, %v", c, err)
	}
	r.write("src/a.go", "package a\nmore\n")
	if c, err := LineSince(ctx, r.lane(), "src/a.go", 2); err != nil || c.ID != "" {
		t.Errorf("a line that is not committed: %+v, %v", c, err)
	}
	if _, err := LineSince(ctx, r.lane(), "src/a.go", 9); err == nil {
		t.Error("a line beyond the end has an author")
	}
}
