package proc

import "os/exec"

// StartBeside starts a child that is no command: one that answers questions of
// ours for as long as we live. It must stay in our session. Supervision knows it
// for one of our own, so that it is neither somebody's orphan nor a stranger, on
// whose account orphans without any other sign would be left alone. wait is
// cmd.Wait, and must be called.
func StartBeside(cmd *exec.Cmd) (wait func() error, err error) {
	if err := startCommand(cmd, nil); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	return func() error {
		defer waited(pid)
		return cmd.Wait()
	}, nil
}
