package link

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gpuci/buildlock/shim"
)

// The exit statuses of a shim that could not execute the real tool. 126 and
// 127 are a shell's; the others are those of gpuci.
const (
	notExecutable = 126
	notFound      = 127
	usage         = 64
	unfit         = 69
	busy          = 75
	configuration = 78
)

// Call is one call that came to a shim.
type Call struct {
	Args   []string // the whole argument vector
	Env    []string
	Stdout io.Writer
	Stderr *os.File
}

// Is says whether a program called by this argv[0] is to play a shim, or to
// answer as gpuci-link itself.
func Is(argv0 string) bool {
	return filepath.Base(argv0) == shim.ProgramName || shim.NameOf(argv0) != ""
}

// Run plays the shim. It only returns when the real tool was not executed,
// with the exit status for that.
func Run(c Call) int {
	if len(c.Args) == 0 || shim.NameOf(c.Args[0]) == "" {
		return c.service()
	}
	home := shim.OurHome()
	plan, err := shim.Look(c.Args, c.Env, home)
	if err != nil {
		return c.fail(statusOf(err), err)
	}
	release := func() {}
	if plan.Ticket {
		var status int
		if release, status = c.queue(&plan, home); status != 0 {
			return status
		}
	}
	err = execute(plan)
	release()
	return c.fail(statusOf(err), fmt.Errorf("run %s: %w", plan.Path, err))
}

// execute replaces us by the real tool. A script without a first line that
// names its interpreter is one for sh, as it is for a shell and for execvp(3).
func execute(p shim.Plan) error {
	err := syscall.Exec(p.Path, p.Args, p.Env)
	if errors.Is(err, syscall.ENOEXEC) {
		return syscall.Exec("/bin/sh", append([]string{"sh", p.Path}, p.Args[1:]...), p.Env)
	}
	return err
}

func statusOf(err error) int {
	if errors.Is(err, syscall.ENOENT) {
		return notFound
	}
	return notExecutable
}

func (c Call) fail(status int, err error) int {
	fmt.Fprintf(c.Stderr, "gpuci-link: %s\n", err)
	return status
}

// service answers a call by gpuci-link's own name: of go, as its -toolexec, and
// of ccache, which wants compilers told apart.
func (c Call) service() int {
	if len(c.Args) > 1 && c.Args[1] != "" && c.Args[1][0] != '-' { // no option of ours: a command
		return c.toolexec()
	}
	if len(c.Args) == 3 {
		switch c.Args[1] {
		case "--compiler-check", "--compiler-check=mtime", "--compiler-check=content":
			id, err := shim.Identity(c.Args[2], c.Env, shim.OurHome(), strings.HasSuffix(c.Args[1], "=content"))
			if err != nil {
				return c.fail(1, fmt.Errorf("identify compiler %s: %w", c.Args[2], err))
			}
			fmt.Fprintln(c.Stdout, id)
			return 0
		}
	}
	return c.fail(usage, errors.New("a link shim is called by the name of a tool (cc, ld, …) from a directory that gpuci makes; see `gpuci env --help`"))
}
