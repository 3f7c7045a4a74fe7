package history

import (
	"strings"
	"testing"
)

// The type of a mount is what stands behind the optional fields, whatever is in
// front of it.
func TestMounted(t *testing.T) {
	const table = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
91 22 0:52 / /mnt/far\040away rw,nosuid shared:43 master:2 - fuse.sshfs box:/srv rw,user_id=0
92 22 0:53 / /mnt/usb rw - fuseblk /dev/sdb1 rw
93 22 0:54 / /x rw`
	for device, want := range map[string]string{"8:1": "ext4", "0:52": "fuse.sshfs", "0:53": "fuseblk", "0:54": "of an unknown kind", "0:5": "of an unknown kind"} {
		if got := mounted(strings.NewReader(table), device); got != want {
			t.Errorf("%s: %q, not %q", device, got, want)
		}
	}
}

// A path that is not there yet is where the nearest directory above it is.
func TestNetworkOf(t *testing.T) {
	dir := t.TempDir()
	at, err := network(dir)
	if err != nil {
		t.Fatal(err)
	}
	if below, err := network(dir + "/a/b/c"); err != nil || below != at {
		t.Errorf("%q, %q, %v", at, below, err)
	}
	if kind, err := network("/proc/self"); err != nil || kind != "" {
		t.Errorf("%q, %v", kind, err)
	}
}
