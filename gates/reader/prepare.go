package reader

import (
	"fmt"
	"strings"
	"time"
)

// Command is a command of a gate that is about to start.
type Command struct {
	Argv []string
	Env  []string // all of it; of a name that stands twice the last one counts
	Dir  string   // where it will run; "" for the current directory

	// Scratch is an empty directory of this command alone, by its absolute path,
	// for what a harness is asked to write besides its output. It must be there
	// until Counts was called. "" for none: then what is printed is all there is.
	Scratch string
}

// Prepare makes the reader of that name for a command, and says how the command
// is to be run so that it counts exactly: as Argv has it, and with what goes
// through Scratch. It is called right before the command starts, since it notes
// which of the files that junit reads are there already.
func Prepare(name string, c Command) (Reader, Command, error) {
	c.Argv = Argv(name, c.Argv)
	switch name {
	case "pytest":
		c, report, err := withPlugin(c)
		if err != nil {
			return nil, c, fmt.Errorf("make reader %q: %w", name, err)
		}
		return &pytest{report: report, dir: c.Dir}, c, nil
	}
	if glob, ok := strings.CutPrefix(name, junitPrefix); ok {
		r, err := newJunitFiles(c.Dir, glob, time.Now())
		if err != nil {
			return nil, c, fmt.Errorf("make reader %q: %w", name, err)
		}
		return r, c, nil
	}
	r, err := New(name)
	return r, c, err
}

// OfRun says that one reader of that name reads all the commands of a run, made
// before the first of them starts: files are looked at when all have ended, for
// which of the commands writes them is not said.
func OfRun(name string) bool { return strings.HasPrefix(name, junitPrefix) }

const junitPrefix = "junit:"
