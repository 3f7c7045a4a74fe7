package proc

import (
	"os/exec"
	"sync"
)

// commands are the pids of supervised commands that os/exec has not waited for
// yet, and the daemons of ended commands that were left running. The list is
// the process's and not a Process's, because the children are: whoever reaps or
// ends orphans must leave every command's exit status to its own waiter, also
// that of a command which another goroutine starts just now, and must not end
// for one command what was left alone for another.
var commands = struct {
	sync.RWMutex
	pids   map[int]bool
	spared map[int]uint64 // pid to start ticks
}{pids: make(map[int]bool), spared: make(map[int]uint64)}

// spareForGood keeps a daemon from every later command's end.
func spareForGood(s Stat) {
	commands.Lock()
	defer commands.Unlock()
	commands.spared[s.PID] = s.Start
}

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
