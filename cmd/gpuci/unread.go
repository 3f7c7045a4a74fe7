package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// unheard says that nobody reads our stdout any more: head(1) has what it wanted.
// That is no error of any command's, and nobody is there to be told.
func unheard(err error) bool {
	var write *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &write) && write.Path == os.Stdout.Name()
}

// whenUnread calls gone as soon as nobody reads our stdout any more, for a command
// that may have nothing to print for hours. The kernel tells it of a pipe, a
// socket or a terminal; of a file there is nothing to tell.
func (a *app) whenUnread(gone func(error)) {
	f, ok := a.out.(*os.File)
	if !ok {
		return
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	go func() {
		for { // until our own end
			_, err := unix.Poll(fds, -1)
			switch {
			case err == nil:
				gone(&fs.PathError{Op: "write", Path: f.Name(), Err: syscall.EPIPE})
				return
			case !errors.Is(err, unix.EINTR):
				return
			}
		}
	}()
}
