package worktrees

import (
	"context"
	"errors"
	"os"
	"testing"
)

// Symbolic links of a commit are followed in it, and never out of it.
func TestFileAtLinks(t *testing.T) {
	r := newRepo(t)
	r.write("real/.deep/file", "text\n")
	for link, target := range map[string]string{
		"plain": "real/.deep/file", "again": "./plain", "dir": "real", "real/up": "..//real/.deep/file", "far": "dir/up", "whole": "real/../dir/./up",
		"root": "/etc/hostname", "out": "../out", "sneaky": "real/../../repo/real/.deep/file", "circle": "circle", "top": "real/..", "nothing": "real/none",
	} {
		if err := os.Symlink(target, r.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-qm", "links")
	id := r.id("HEAD")
	r.remove("real") // what is on disk is nothing to a commit
	for _, name := range []string{"real/.deep/file", "plain", "again", "dir/.deep/file", "real/up", "far", "whole"} {
		if data, ok, err := FileAt(context.Background(), r.lane(), id, name); string(data) != "text\n" || !ok || err != nil {
			t.Errorf("%s: %q, %v, %v", name, data, ok, err)
		}
	}
	for _, name := range []string{"root", "out", "sneaky", "circle", "nothing", "dir/none"} {
		if data, ok, err := FileAt(context.Background(), r.lane(), id, name); ok || !errors.Is(err, ErrAstray) {
			t.Errorf("%s: %q, %v, %v", name, data, ok, err)
		}
	}
	for _, name := range []string{"none", "none/none", "real/none", "plain2"} {
		if data, ok, err := FileAt(context.Background(), r.lane(), id, name); ok || err != nil {
			t.Errorf("%s: %q, %v, %v", name, data, ok, err)
		}
	}
	for _, name := range []string{"real", "dir", "top"} {
		if _, ok, err := FileAt(context.Background(), r.lane(), id, name); ok || err == nil {
			t.Errorf("%s, a directory: %v, %v", name, ok, err)
		}
	}
}
