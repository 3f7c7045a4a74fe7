package proc

import (
	"path"
	"strings"
)

// Systemd says whether process 1 is systemd: by its program, or, where that is
// not ours to see, by its name and the cgroup that it has put itself into. It
// then puts all that it starts into units. What cannot be told is no systemd.
func (r Root) Systemd() bool {
	exe, err := r.Exe(1)
	switch {
	case err != nil, exe.Answer == None:
		return false
	case exe.Known():
		return path.Base(exe.Path) == "systemd"
	}
	st, err := r.Stat(1)
	if err != nil || st.Comm != "systemd" {
		return false
	}
	text, err := r.small(1, "cgroup")
	return err == nil && inInitScope(text)
}

// inInitScope says whether the text of /proc/PID/cgroup has somebody in
// systemd's own scope, in v2's hierarchy or in that which systemd has on v1.
func inInitScope(text string) bool {
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) == 3 && (parts[1] == "" || parts[1] == "name=systemd") && path.Base(parts[2]) == "init.scope" {
			return true
		}
	}
	return false
}
