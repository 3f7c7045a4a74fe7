package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// logName is the name of the journal of one gpuci's links: it tells whose it is,
// so that the next one can tidy up after one that was killed. %d are the pid
// namespace, the pid and the start ticks.
const logName = "gpuci-links-%d-%d-%d-"

// linkLog makes the file in which each shim writes a line about its link.
func linkLog() (string, error) {
	self, err := proc.Real.Identity(os.Getpid())
	if err != nil {
		return "", fmt.Errorf("say who we are: %w", err)
	}
	ns, _ := proc.Real.Namespaces(os.Getpid()) // 0 where /proc does not tell
	removeDeadLogs(ns.PID, self.BootID)
	f, err := os.CreateTemp("", fmt.Sprintf(logName, ns.PID, self.PID, self.Start))
	if err != nil {
		return "", fmt.Errorf("make the journal of the links: %w; TMPDIR names a directory that can be written", err)
	}
	err = buildlock.ShareLinkLog(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return f.Name(), err
}

// removeDeadLogs removes the journals of those that were killed. Of a process
// in another pid namespace nothing is known.
func removeDeadLogs(ns uint64, boot string) {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), "gpuci-links-*"))
	for _, path := range found {
		var of uint64
		id := proc.Identity{BootID: boot}
		if n, _ := fmt.Sscanf(filepath.Base(path), logName, &of, &id.PID, &id.Start); n != 3 || of != ns {
			continue
		}
		if alive, err := proc.Real.Alive(id); err == nil && !alive {
			_ = os.Remove(path) // another user's stays
		}
	}
}
