package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpuci/reaper/proc"
)

// askTime bounds a question to Slurm: its commands try again by themselves for as long as
// the cluster's MessageTimeout, 10 s where nothing else is said.
const askTime = 30 * time.Second

// ErrNoSlurm says that a command of Slurm's is not on this machine.
var ErrNoSlurm = errors.New("is not on this machine: gates are handed to Slurm from a machine that has its commands (apt-get install slurm-client, or the cluster's login node)")

// Client runs Slurm's commands.
type Client struct {
	Env []string // the user's; what would change a command's answer is not handed on
}

// CommandError is a command of Slurm's that did not do what it was asked.
type CommandError struct {
	Name string // "sbatch"
	Said string // on stderr, in one line
	Err  error
}

func (e *CommandError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Name, e.Said)
}

func (e *CommandError) Unwrap() error { return e.Err }

// ask runs a command to its end, and gives what it printed.
func (c *Client) ask(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := c.start(name, append(c.own(), "LC_ALL=C", "SLURM_TIME_FORMAT=%s"), nil, args...)
	if err != nil {
		return "", err
	}
	select {
	case <-r.done:
		return r.result()
	case <-ctx.Done():
		_ = r.cmd.Process.Kill()
		<-r.done
		why := fmt.Errorf("no answer in time: %w", ctx.Err())
		if text := said(name, r.stderr.String()); text != "" { // it was trying again
			return "", &CommandError{name, text + "; " + why.Error(), why}
		}
		return "", &CommandError{name, "", why}
	}
}

// running is a command on its way.
type running struct {
	name        string
	cmd         *exec.Cmd
	out, stderr bytes.Buffer
	done        chan struct{}
	err         error // once it is done
}

// start starts a command in a process group of its own, so that a Ctrl-C for gpuci does
// not cut it in the middle of what it asks. It holds the file open, if there is one.
func (c *Client) start(name string, env []string, held *os.File, args ...string) (*running, error) {
	path, err := proc.LookPath(name, "/", c.Env)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%s %w", name, ErrNoSlurm)
	}
	if err != nil {
		return nil, err
	}
	r := &running{name: name, cmd: exec.Command(path, args...), done: make(chan struct{})}
	r.cmd.Env, r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = env, "/", &r.out, &r.stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.cmd.WaitDelay = time.Second
	if held != nil {
		r.cmd.ExtraFiles = []*os.File{held}
	}
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		r.err = r.cmd.Wait()
		close(r.done)
	}()
	return r, nil
}

// result is what a command that is done has printed.
func (r *running) result() (string, error) {
	if r.err != nil {
		return r.out.String(), &CommandError{r.name, said(r.name, r.stderr.String()), r.err}
	}
	return r.out.String(), nil
}

// said is what a command said on stderr, in one line without its name in front of each.
func said(name, text string) string {
	var all []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, before := range []string{name + ":", "error:", "fatal:"} {
			line = strings.TrimSpace(strings.TrimPrefix(line, before))
		}
		if line != "" && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return strings.Join(all, "; ")
}

// own is the user's environment without what Slurm's commands take as options: whose
// defaults those are, nobody who reads gpuci.toml can see.
func (c *Client) own() []string {
	return slices.DeleteFunc(slices.Clone(c.Env), func(v string) bool { return isSlurms(name(v)) })
}

// isSlurms says whether a variable is one of Slurm's, but for the one that says where the
// cluster is.
func isSlurms(name string) bool {
	if name == "SLURM_CONF" {
		return false
	}
	return slices.ContainsFunc([]string{"SLURM_", "SLURMD_", "SBATCH_", "SQUEUE_", "SACCT_", "SCANCEL_", "SCONTROL_", "SINFO_", "SALLOC_", "SRUN_", "PMI_", "PMIX_"},
		func(p string) bool { return strings.HasPrefix(name, p) })
}

func name(variable string) string {
	name, _, _ := strings.Cut(variable, "=")
	return name
}
