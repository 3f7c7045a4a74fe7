package buildlock

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What Usable says of a directory is what Acquire finds, and it makes nothing.
func TestUsable(t *testing.T) {
	top := publicDir(t)
	good := filepath.Join(top, "good")
	take(t, Options{Dir: good})
	for _, step := range []error{
		os.WriteFile(top+"/file", nil, 0o644), os.Symlink(good, top+"/link"), os.Mkdir(top+"/closed", 0o755),
		os.MkdirAll(top+"/inner", 0o755), unix.Chmod(top+"/inner", shared), os.WriteFile(top+"/inner/link", nil, 0o644),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for dir, want := range map[string]bool{
		good: true, top + "/new": true,
		top + "/file": false, top + "/link": false, top + "/closed": false, top + "/none/new": false, top + "/file/new": false,
		top + "/inner": false, "relative": false,
	} {
		err := Usable(dir)
		if (err == nil) != want || err != nil && !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: %v, want usable %v", dir, err, want)
		}
		if _, serr := os.Stat(top + "/new"); serr == nil {
			t.Fatalf("%s: a directory was made", dir)
		}
	}
	for dir, want := range map[string]bool{top + "/file": false, top + "/link": false, top + "/closed": false, top + "/none/new": false, top + "/inner": false, top + "/new": true} {
		k, err := Acquire(t.Context(), Options{Dir: dir})
		if (err == nil) != want {
			t.Errorf("Acquire in %s: %v, want %v as Usable says", dir, err, want)
		}
		if err == nil {
			_ = k.Release()
		}
	}
}

// Another user may not make a lock directory where only root may write.
func TestUsableOtherUser(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	needs(t, err == nil && os.Getuid() == 0, "setpriv as root")
	top := publicDir(t)
	take(t, Options{Dir: top + "/shared"})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{top + "/shared": "usable\n", top + "/new": "unfit\n"} {
		cmd := exec.Command(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", self, dir)
		cmd.Env, cmd.Dir = append(os.Environ(), childVariable+"=usable"), "/"
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, %v, want %q", dir, out, err, want)
		}
	}
}

// Each trouble has its own way out.
func TestRemedy(t *testing.T) {
	for want, err := range map[string]error{
		"gpuci lock status":        &BusyError{},
		"talk to root":             &VoidedError{},
		"free space in /locks":     unfit("/locks/link", unix.ENOSPC),
		"every user":               unfit("/locks", unix.EACCES),
		"take them in this order":  ErrOrder,
		"ask that user, or root":   ErrNotOwner,
		"lock-dir in /etc/gpuci.t": unfit("/locks", unix.ENOTDIR),
	} {
		if got := Remedy(fmt.Errorf("x: %w", err), "/locks"); !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
	if got := Remedy(errors.New("x"), ""); got != "" {
		t.Errorf("another error: %q", got)
	}
}
