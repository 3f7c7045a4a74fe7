package gates

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// argvOf is what is executed: an argv as it stands, a string under bash with
// every way of losing a failure closed.
func argvOf(c config.Command) []string {
	if c.Shell == "" {
		return c.Argv
	}
	argv := []string{"bash", "-euo", "pipefail", "-c", c.Shell}
	if len(c.Argv) > 0 { // ARGS of `gpuci gate NAME -- ARGS` become "$@"
		argv = append(append(argv, "gpuci"), c.Argv...)
	}
	return argv
}

// startError says what to do about a program that could not be started.
func startError(name string, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not on PATH: install it, or write its path in gpuci.toml", name)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, " \t\n"):
		return fmt.Errorf("%q does not exist: is it a program with its arguments? Write each as a string of its own, or the whole without the brackets for a shell", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: build it in a `build` step, or mend the path in gpuci.toml", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s is not an executable file (chmod +x?)", name)
	case errors.Is(err, unix.ENOEXEC):
		return fmt.Errorf("%s is no program this machine can run: has it a #! line?", name)
	}
	return err
}

// env is the environment of a gate's commands.
func (f *flow) env() []string {
	return append(f.toolEnv(), "GPUCI_RUN="+f.v.Run, "GPUCI_GATE="+f.gate.Name)
}

// toolEnv is the same without what names the run: that of the tools that are
// only asked for their version.
func (f *flow) toolEnv() []string {
	env := append(worktrees.PlainEnv(os.Environ()), longer(envWithin, f.key()))
	for k, v := range f.gate.Env {
		env = append(env, k+"="+v)
	}
	return append(env, f.opt.Env...)
}

// longer is a variable that lists what stands above a process, with one more.
func longer(variable, item string) string {
	return variable + "=" + strings.TrimPrefix(os.Getenv(variable)+":"+item, ":")
}

// quoteArgv prints a command line that a shell would read back the same.
func quoteArgv(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && strings.IndexFunc(a, needsQuote) < 0 {
			b.WriteString(a)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
	}
	return b.String()
}

func needsQuote(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%", r)
}
