package worktrees

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mountedIn is a mount point in or below a directory, "" where there is none: a
// gate may have mounted what is somebody else's there (proc_pid_mountinfo(5)).
// dir is free of symbolic links.
func mountedIn(dir string) (string, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", fmt.Errorf("look for mounts in %s: %w", dir, err)
	}
	return mountIn(string(data), dir), nil
}

// mountIn finds it in the text of mountinfo, whose fifth field is the mount point.
func mountIn(mountinfo, dir string) string {
	for line := range strings.Lines(mountinfo) {
		if fields := strings.Fields(line); len(fields) > 4 {
			if at := unescapeMount(fields[4]); within(dir, at) {
				return at
			}
		}
	}
	return ""
}

// unescapeMount undoes how the kernel writes blanks, newlines and backslashes: as
// "\\" and three octal digits.
func unescapeMount(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n, err := strconv.ParseUint(after[:min(3, len(after))], 8, 8)
		if err != nil || len(after) < 3 {
			b.WriteByte('\\')
			s = after
			continue
		}
		b.WriteByte(byte(n))
		s = after[3:]
	}
}
