package proc

import (
	"bytes"
	"strconv"
	"strings"
)

// mount is one line of mountinfo, proc_pid_mountinfo(5).
type mount struct {
	id, parent uint64
	point      string // where it is mounted, as the reader of the file sees it
	kind       string // of file system: "ext4", "fuse.sshfs"
}

// mounts are those that can be reached from somebody's root.
type mounts []mount

// mounts reads those of the process whose directory d is. Nothing is asked of
// the file systems themselves.
func (d dir) mounts() (mounts, error) {
	data, err := d.readAll("mountinfo")
	return parseMounts(data), err
}

// parseMounts parses mountinfo: id, parent, device, root, mount point, options,
// more, "-", kind. What is no such line is left out.
func parseMounts(data []byte) (list mounts) {
	for line := range bytes.Lines(data) {
		before, after, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), " - ")
		f := strings.Fields(before)
		kind, _, _ := strings.Cut(after, " ")
		if !ok || len(f) < 6 || !strings.HasPrefix(f[4], "/") {
			continue
		}
		id, err := strconv.ParseUint(f[0], 10, 64)
		parent, perr := strconv.ParseUint(f[1], 10, 64)
		if err == nil && perr == nil {
			list = append(list, mount{id, parent, unescapeMount(f[4]), kind})
		}
	}
	return list
}

// at is the mount that a path leads to, if nothing on the way is a symbolic
// link: the way down from the root, from each mount into the first one that was
// mounted on it there. What another one was mounted over is not reached.
func (list mounts) at(path string) (now mount, ok bool) {
	known := make(map[uint64]bool)
	for _, m := range list {
		known[m.id] = true
	}
	for _, m := range list {
		if m.point == "/" && (!known[m.parent] || m.parent == m.id) {
			now, ok = m, true
		}
	}
	for range list { // each is crossed once at most
		next, found := list.next(now, path)
		if !found {
			break
		}
		now = next
	}
	return now, ok
}

// next is the first mount on a mount on the way to a path.
func (list mounts) next(from mount, path string) (next mount, found bool) {
	for _, m := range list {
		on := m.parent == from.id && m.id != from.id && leadsTo(m.point, path)
		if on && (!found || len(m.point) < len(next.point)) {
			next, found = m, true
		}
	}
	return next, found
}

// leadsTo says whether a path is a directory or lies in it, part by part.
func leadsTo(dir, path string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// prompt are the file systems that say from memory what they know of a file
// which is open, whatever became of their disk or server. FUSE is one, since it
// heeds AT_STATX_DONT_SYNC; NFS is none, for following a magic link asks its
// server whether the file is still what it was (d_weak_revalidate).
var prompt = map[string]bool{
	"ext2": true, "ext3": true, "ext4": true, "xfs": true, "btrfs": true, "f2fs": true, "zfs": true, "bcachefs": true,
	"overlay": true, "tmpfs": true, "ramfs": true, "rootfs": true, "squashfs": true, "erofs": true, "iso9660": true, "vfat": true, "exfat": true,
	"fuse": true, "fuseblk": true, "virtiofs": true, "fusectl": true, "proc": true, "sysfs": true, "devtmpfs": true, "devpts": true, "mqueue": true,
	"cgroup": true, "cgroup2": true, "hugetlbfs": true, "debugfs": true, "tracefs": true, "securityfs": true, "pstore": true, "bpf": true,
	"configfs": true, "binfmt_misc": true, "efivarfs": true, "selinuxfs": true, "autofs": true, "nsfs": true,
}

// prompt says whether the file system of a mount does so.
func (m mount) prompt() bool { return prompt[m.kind] || strings.HasPrefix(m.kind, "fuse.") }
