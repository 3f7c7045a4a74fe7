package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What a gate has mounted in a scratch lane is somebody else's: nothing is removed
// before it is gone.
func TestScratchWithMount(t *testing.T) {
	r := newRepo(t)
	r.commit("a", "a\n", "a")
	s, err := r.tryScratch(ScratchOptions{Commit: r.head()})
	r.check(err)
	precious, at := t.TempDir(), filepath.Join(s.Root, "a mount")
	r.check(os.WriteFile(filepath.Join(precious, "kept"), nil, 0o600))
	r.check(os.Mkdir(at, 0o700))
	if err := unix.Mount(precious, at, "", unix.MS_BIND, ""); err != nil {
		r.check(s.Remove(context.Background()))
		if os.Getenv("GPUCI_TEST_STRICT") == "1" && os.Getuid() == 0 {
			t.Fatal(err)
		}
		t.Skip("needs the right to mount: ", err)
	}
	err = s.Remove(context.Background())
	if err == nil || !strings.Contains(err.Error(), "something is mounted at "+at) {
		t.Errorf("removed: %v", err)
	}
	r.check(unix.Unmount(at, unix.MNT_DETACH))
	if _, err := os.Stat(filepath.Join(precious, "kept")); err != nil {
		t.Error(err)
	}
	removed, err := RemoveAbandoned(context.Background(), r.lane(), r.scratchHome())
	if err != nil || len(removed) != 1 {
		t.Errorf("afterwards: removed %q, %v", removed, err)
	}
}

func TestMountIn(t *testing.T) {
	const text = `36 35 98:0 /mnt1 /s/lane rw - ext3 /dev/root rw
37 35 98:0 / /s/other/a\040b\134c rw - ext3 /dev/root rw
`
	for dir, want := range map[string]string{"/s": "/s/lane", "/s/lane": "/s/lane", "/s/lan": "", "/s/other": `/s/other/a b\c`} {
		if at := mountIn(text, dir); at != want {
			t.Errorf("in %s: %q, want %q", dir, at, want)
		}
	}
}
