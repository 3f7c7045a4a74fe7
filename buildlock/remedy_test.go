package buildlock

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The variable is named where it is what names the directory, and where somebody
// set it: what a gpuci runs has it from that gpuci.
func TestRemedyVariable(t *testing.T) {
	for _, c := range []struct {
		variable, build, dir string
		named                bool
	}{
		{"/locks", "", "/locks", true}, {"/locks", "", "", true}, {"/other", "", "/locks", false}, {"", "", "/locks", false}, {"/locks", "b1", "/locks", false},
	} {
		t.Setenv("GPUCI_LOCK_DIR", c.variable)
		t.Setenv("GPUCI_BUILD", c.build)
		if c.build == "" {
			_ = os.Unsetenv("GPUCI_BUILD")
		}
		got := Remedy(unfit("/locks", unix.ENOTDIR), c.dir)
		if strings.Contains(got, "GPUCI_LOCK_DIR") != c.named || !strings.Contains(got, "put /locks right") || !strings.Contains(got, "lock-dir in /etc/gpuci.toml; every user") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Nobody queues in a directory that is not there, unless it is one that nobody
// can make.
func TestStatusNowhere(t *testing.T) {
	top := publicDir(t)
	for dir, free := range map[string]bool{top + "/new": true, top + "/none/new": false, "/proc/nope": false, "/sys/nope": false, "relative": false} {
		list, err := Status(t.Context(), dir)
		if free && (err != nil || len(list) != 1) || !free && !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: %+v, %v", dir, list, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s was made", dir)
		}
	}
}
