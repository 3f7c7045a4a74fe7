package propose

import (
	"context"
	"os/exec"
	"slices"
	"testing"
)

// What git ignores is nobody's source, whatever it is called, and what a gate or a set
// makes is said where git does not ignore it.
func TestIgnored(t *testing.T) {
	needTool(t, "git")
	root := newRoot(t)
	write(t, root, ".gitignore", "/made/\n/o\\\"dd dé/\n")
	write(t, root, "made/a.cu", "")
	write(t, root, "o\"dd dé/b.cu", "")
	write(t, root, "cuda/c.cu", "")
	cmd := exec.Command("git", "init", "-q", ".")
	if cmd.Dir = root; cmd.Run() != nil {
		t.Fatal("git init failed")
	}
	p, err := Look(context.Background(), Options{Root: root})
	if err != nil || len(p.Kernels) != 1 || !slices.Equal(p.Kernels[0].Sources, []string{"cuda/*.cu"}) {
		t.Errorf("%+v, %v", p.Kernels, err)
	}
	if !slices.Equal(p.Unignored, []string{"target/kernels/cuda/"}) {
		t.Errorf("not ignored: %q", p.Unignored)
	}
	write(t, root, ".gitignore", "target/\n")
	if p, err = Look(context.Background(), Options{Root: root}); err != nil || len(p.Unignored) > 0 {
		t.Errorf("not ignored: %q, %v", p.Unignored, err)
	}
	write(t, root, "cuda/k.cubin", "")
	p, err = Look(context.Background(), Options{Root: root})
	if err != nil || !slices.ContainsFunc(p.Left, func(l Left) bool { return l.What == "cuda/k.cubin" }) {
		t.Errorf("%+v, %v", p.Left, err)
	}
}
