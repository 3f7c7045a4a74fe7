package link

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// voice is how a wait is spoken of. A gpuci that watches the build says it for
// all its links, and is told what only we have seen. Never on a stderr that is
// no terminal, because rustc makes a warning of whatever its linker writes there.
func (c Call) voice(plan shim.Plan) func(buildlock.Line) {
	if log, _ := shim.Lookup(c.Env, shim.LogVar); log != "" {
		return func(l buildlock.Line) {
			if l.Slots == 0 && !l.Held { // a note alone: the directory was removed
				c.write(plan, buildlock.LinkEvent{Outcome: buildlock.Removed, Error: l.Note})
			}
		}
	}
	return func(l buildlock.Line) {
		if out := terminal(c.Stderr); out != nil {
			fmt.Fprintf(out, "gpuci-link: %s\n", l)
			if out != c.Stderr {
				_ = out.Close()
			}
		}
	}
}

// terminal is stderr if that is one, else the terminal we run in the
// foreground of. A job in the background keeps quiet.
func terminal(stderr *os.File) *os.File {
	if isTerminal(stderr) {
		return stderr
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	if group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		_ = tty.Close()
		return nil
	}
	return tty
}

// isTerminal asks without File.Fd, which would take O_NONBLOCK from a
// description that we share with our callers.
func isTerminal(f *os.File) (is bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		_, terr := unix.IoctlGetTermios(int(fd), unix.TCGETS)
		is = terr == nil
	})
	return is && err == nil
}
