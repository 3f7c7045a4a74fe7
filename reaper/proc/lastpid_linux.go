package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LastPID is the number that was given last in our pid namespace, to a process
// or to a thread: the fifth field of /proc/loadavg, proc_loadavg(5). Numbers are
// given upwards and begin anew at their end.
func (r Root) LastPID() (int, error) {
	path := filepath.Join(string(r), "loadavg")
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read last pid: %w", err)
	}
	pid, err := parseLastPID(string(data))
	if err != nil {
		return 0, fmt.Errorf("parse %s: %w", path, err)
	}
	return pid, nil
}

// parseLastPID parses "0.20 0.18 0.12 1/80 11206".
func parseLastPID(text string) (int, error) {
	f := strings.Fields(text)
	if len(f) < 5 {
		return 0, fmt.Errorf("%d fields in %.80q, want 5", len(f), text)
	}
	pid, err := strconv.Atoi(f[4])
	if err == nil && pid < 0 {
		err = fmt.Errorf("%d is no pid", pid)
	}
	return pid, err
}
