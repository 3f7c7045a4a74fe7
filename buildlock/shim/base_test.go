package shim

import (
	"os"
	"strings"
	"testing"
)

// dirs makes directories below top, of a mode and of an owner of its own.
func dirs(t *testing.T, top string, uid int, mode os.FileMode, names ...string) {
	t.Helper()
	for _, name := range names {
		path := top + "/" + name
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDefaultBase: the user's own data, where he has some.
func TestDefaultBase(t *testing.T) {
	top := t.TempDir()
	dirs(t, top, os.Getuid(), 0o755, "home", "data")
	if err := os.WriteFile(top+"/file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	shared := "/var/tmp/gpuci-shims-" + itoa(os.Getuid())
	for _, c := range []struct{ env, want string }{
		{"XDG_DATA_HOME=TOP/data HOME=TOP/home", top + "/data/gpuci/shims"},
		{"XDG_DATA_HOME=TOP/data/not/yet HOME=TOP/home", top + "/data/not/yet/gpuci/shims"},
		{"XDG_DATA_HOME=rel HOME=TOP/home", top + "/home/.local/share/gpuci/shims"},
		{"XDG_DATA_HOME=TOP/file/x HOME=TOP/home", top + "/home/.local/share/gpuci/shims"},
		{"HOME=TOP/a:b", shared},
		{"HOME=TOP/gone", shared},
		{"HOME=TOP/file", shared},
		{"HOME=", shared},
		{"", shared},
	} {
		if got := defaultBase(strings.Fields(strings.ReplaceAll(c.env, "TOP", top))); got != c.want {
			t.Errorf("%q: %s, want %s", c.env, got, c.want)
		}
	}
}

// TestDefaultBaseOthers: root leaves nothing in the HOME of another user, who
// could not write there afterwards; what is root's or everybody's is as good as
// one's own; and what somebody else made there before is not used.
func TestDefaultBaseOthers(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	const nobody = 65534
	top := t.TempDir()
	dirs(t, top, nobody, 0o755, "bare", "share", "share/.local", "share/.local/share", "theirs", "theirs/.local", "theirs/.local/share/gpuci/shims")
	dirs(t, top, 0, 0o755, "ours", "ours/.local/share/gpuci/shims")
	dirs(t, top, nobody, 0o755, "ours")
	dirs(t, top, nobody, 0o777|os.ModeSticky, "everybody")
	for home, own := range map[string]bool{"bare": false, "share": false, "theirs": false, "ours": true, "everybody": true} {
		want := "/var/tmp/gpuci-shims-0"
		if own {
			want = top + "/" + home + "/.local/share/gpuci/shims"
		}
		if got := defaultBase([]string{"HOME=" + top + "/" + home}); got != want {
			t.Errorf("%s: %s, want %s", home, got, want)
		}
	}
	for _, made := range []string{"bare/.local", "everybody/.local"} {
		if _, err := os.Lstat(top + "/" + made); err == nil {
			t.Errorf("%s was made by looking", made)
		}
	}
}
