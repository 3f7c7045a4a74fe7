package nvcc

import (
	"context"
	"io"
)

// Command is a program to be run to its end.
type Command struct {
	Argv   []string // Argv[0] is a path, not a name to be looked up
	Dir    string   // "" is the directory of whoever runs it
	Env    []string // all of its environment
	Stdout io.Writer
	Stderr io.Writer
}

// Exec runs a command under the caller's supervision; a command that failed is an
// error.
type Exec func(ctx context.Context, c Command) error
