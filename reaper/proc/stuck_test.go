package proc

import (
	"testing"

	"gpuci/reaper/proc/stuckfs"
)

// mountStuck mounts a file system whose server is dead. The caller defers
// Release, so that what hangs on it can end before it is waited for.
func mountStuck(t *testing.T) *stuckfs.FS {
	t.Helper()
	f, err := stuckfs.Mount(t)
	if err != nil {
		needs(t, err.Error())
	}
	return f
}
