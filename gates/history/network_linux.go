package history

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// networks are file systems of several machines, by the magic of statfs(2).
// SQLite's WAL shares memory between those who use the database, which two
// machines cannot do. 9p is not among them: sandboxes and virtual machines have
// their own disk through it, and where it cannot share memory either, SQLite
// refuses the WAL and the answer is the same.
var networks = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	0x0bd00bd0:            "Lustre",
	0x47504653:            "GPFS",
	0x19830326:            "BeeGFS",
	0x7461636f:            "OCFS2",
	0x01161970:            "GFS2",
	0xaad7aaea:            "PanFS",
	0x013111a8:            "IBRIX",
}

// fuseLocal are FUSE file systems of one machine. Of all others, sshfs, rclone
// and the like, nothing says who else is behind them.
var fuseLocal = []string{"fuseblk", "fuse.fuse-overlayfs", "fuse.mergerfs", "fuse.bindfs", "fuse.gocryptfs", "fuse.encfs"}

// network names the network file system that a path, or the nearest directory
// above it that is there, is on; "" for one of this machine.
func network(path string) (string, error) {
	for {
		var fs unix.Statfs_t
		err := unix.Statfs(path, &fs)
		switch {
		case err == nil && int64(fs.Type) == unix.FUSE_SUPER_MAGIC:
			return fuse(path)
		case err == nil:
			return networks[int64(fs.Type)], nil
		case err != unix.ENOENT || path == filepath.Dir(path):
			return "", fmt.Errorf("ask for the file system of %s: %w", path, err)
		}
		path = filepath.Dir(path)
	}
}

func fuse(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", fmt.Errorf("ask for the device of %s: %w", path, err)
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "FUSE", nil
	}
	defer f.Close()
	kind := mounted(f, fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if slices.Contains(fuseLocal, kind) {
		return "", nil
	}
	return "FUSE, " + kind, nil
}

// mounted is the type of the file system with a device number, as
// proc_pid_mountinfo(5) has it: behind the " - " that ends the optional fields.
func mounted(r io.Reader, device string) string {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		front, back, _ := strings.Cut(lines.Text(), " - ")
		fields, kinds := strings.Fields(front), strings.Fields(back)
		if len(fields) > 2 && fields[2] == device && len(kinds) > 0 {
			return kinds[0]
		}
	}
	return "of an unknown kind"
}
