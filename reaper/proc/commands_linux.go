package proc

import (
	"os/exec"
	"sync"
)

// commands are the pids of supervised commands that os/exec has not waited for
// yet. The list is the process's and not a Process's, because the children are:
// whoever reaps orphans must leave every command's exit status to its own
// waiter, also that of a command which another goroutine starts just now.
var commands = struct {
	sync.RWMutex
	pids map[int]bool
}{pids: make(map[int]bool)}

// startCommand starts a command so that nobody can take it for an orphan.
func startCommand(cmd *exec.Cmd) error {
	commands.Lock()
	defer commands.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	commands.pids[cmd.Process.Pid] = true
	return nil
}

// waited takes a command off the list: its pid may be used again.
func waited(pid int) {
	commands.Lock()
	defer commands.Unlock()
	delete(commands.pids, pid)
}
