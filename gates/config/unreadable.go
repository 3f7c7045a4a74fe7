package config

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrUnreadable is what Load and Find return, wrapped, where a file is there
// but cannot be read, or must be there and is not. The text says which file,
// why, and what to do.
var ErrUnreadable = errors.New("configuration cannot be read")

// errNoFile is what a directory, a pipe or a socket is.
var errNoFile = errors.New("is no file")

// unreadable is why a file cannot be read. Its text leaves out that of
// ErrUnreadable, which adds nothing to it.
type unreadable struct{ error }

func (u unreadable) Unwrap() []error { return []error{ErrUnreadable, u.error} }

// cannot makes an error of what was tried ("read machine file") and why it failed.
func cannot(do string, why error) error {
	return unreadable{fmt.Errorf("%s: %w; %s", do, why, remedy(why))}
}

func remedy(why error) string {
	switch {
	case errors.Is(why, fs.ErrNotExist):
		return "write it, or name another"
	case errors.Is(why, fs.ErrPermission):
		return "make it readable for you, and the directories above it"
	case errors.Is(why, errNoFile):
		return "put a regular file in its place"
	}
	return "look at it with ls -l"
}
