package worktrees

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// rules say how files on disk can be other than in git without git calling them
// modified.
type rules struct {
	converts bool // some attribute or setting has git convert content
	modes    bool // git does not look at executable bits, and the file system keeps them
}

// readRules looks at the settings and at the attributes that the lane has.
func readRules(ctx context.Context, l Lane, x *index, changed map[string]bool) (r rules, err error) {
	out, err := runGit(ctx, l, nil, "config", "-z", "--get-regexp", `^core\.(filemode|autocrlf|attributesfile)$`)
	if err != nil && exitCode(err) != 1 { // 1: none is set
		return r, err
	}
	files := []string{filepath.Join(l.CommonDir, "info", "attributes"), "/etc/gitattributes"}
	own := ""
	for _, said := range splitNUL(out) {
		name, value, _ := strings.Cut(said, "\n")
		value = strings.ToLower(value)
		off := value == "false" || value == "no" || value == "off" || value == "0"
		switch name {
		case "core.filemode":
			r.modes = off
		case "core.autocrlf":
			r.converts = !off
		case "core.attributesfile":
			own = said[len(name)+1:]
		}
	}
	home, _ := os.UserHomeDir()
	if own == "" {
		own = filepath.Join(home, ".config", "git", "attributes")
		if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
			own = filepath.Join(xdg, "git", "attributes")
		}
	} else if rest, ok := strings.CutPrefix(own, "~/"); ok {
		own = filepath.Join(home, rest)
	}
	files = append(files, own)
	for _, e := range x.entries {
		if path.Base(string(e.path)) == ".gitattributes" {
			files = append(files, filepath.Join(l.Root, string(e.path)))
		}
	}
	for name := range changed { // one that is not committed counts as well
		if path.Base(name) == ".gitattributes" {
			files = append(files, filepath.Join(l.Root, name))
		}
	}
	for _, file := range files {
		r.converts = r.converts || namesConversion(file)
	}
	r.modes = r.modes && keepsModes(l.Root)
	return r, nil
}

// conversions are the words by which attributes have git convert content
// (gitattributes(5)).
var conversions = []string{"text", "crlf", "eol", "filter", "ident", "encoding"}

// maxAttributes bounds how much of a file of attributes is read, as git does.
const maxAttributes = 100 << 20

func namesConversion(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxAttributes {
		return false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for _, word := range conversions {
		if strings.Contains(string(data), word) {
			return true
		}
	}
	return false
}

// keepsModes says whether a directory's file system is one that has a mode for each
// file: core.fileMode is off where it is not, and every file looks the same.
func keepsModes(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	switch int64(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
		unix.F2FS_SUPER_MAGIC, unix.NFS_SUPER_MAGIC, unix.RAMFS_MAGIC, zfsMagic:
		return true
	}
	return false
}

// zfsMagic is the type of ZFS in statfs(2), which the kernel's own headers lack.
const zfsMagic = 0x2fc12fc1
