package worktrees

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
)

// gitGrace is how long the output of a git that was told to stop is waited
// for, should a child of its hold the pipe.
const gitGrace = time.Second

// runGit runs git in a lane and returns its standard output. The error wraps
// *exec.ExitError where git gave a status, exec.ErrNotFound where there is no
// git, and the context's error where that ended it.
func runGit(ctx context.Context, l Lane, stdin []byte, args ...string) ([]byte, error) {
	return runGitWith(ctx, l, nil, stdin, args...)
}

// runGitWith is runGit with variables in the environment.
func runGitWith(ctx context.Context, l Lane, env []string, stdin []byte, args ...string) ([]byte, error) {
	return outputOf(ctx, gitCommand(ctx, l, env, args...), stdin, args[0])
}

// outputOf runs a git that is ready to start; what is its subcommand.
func outputOf(ctx context.Context, cmd *exec.Cmd, stdin []byte, what string) ([]byte, error) {
	if stdin != nil { // without it no pipe and nobody to fill one
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run git %s: %w", what, ctx.Err())
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("run git %s: %w; install git 2.25 or later (apt-get install git)", what, err)
	}
	return out, fmt.Errorf("run git %s in %s: %w: %s", what, cmd.Dir, err, clipText(strings.TrimSpace(stderr.String())))
}

// clipText keeps the two ends of what git says: on a full disk it says a line
// for every file.
func clipText(text string) string {
	const end = 1000 // bytes: some ten lines
	if len(text) <= 2*end {
		return text
	}
	return text[:end] + "\n…\n" + text[len(text)-end:]
}

// gitCommand is a git in a lane, with variables of ours that would be another's
// mistake.
func gitCommand(ctx context.Context, l Lane, env []string, args ...string) *exec.Cmd {
	return gitIn(ctx, l.Root, env, append(gitOptions(l), args...)...)
}

// gitIn is a git in a directory. It has a group of its own, so that the git it
// starts in a submodule ends with it.
func gitIn(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(gitEnv(os.Environ()), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = gitGrace
	return cmd
}

// gitOptions come before every git command. The worktree is given so that a
// stray core.worktree cannot point elsewhere; and no daemon, hook or pager may
// start.
func gitOptions(l Lane) []string {
	return []string{
		"--no-optional-locks", "--no-pager",
		"--work-tree=" + l.Root,
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
	}
}

// localToGit are the variables that make git, and whatever calls it, speak of
// another repository: what `git rev-parse --local-env-vars` lists (git sets those
// for its hooks and aliases), less the configuration that a user may have put
// there (safe.directory in a container).
var localToGit = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
	"GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_CONFIG",
}

// pathsToGit change how git looks for repositories and reads paths.
var pathsToGit = []string{
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// PlainEnv takes out of an environment what would make git speak of another
// repository than the one of the directory it is started in. A gpuci that was
// started from a hook or an alias of one lane has it, and a command in another
// lane would judge the first one.
func PlainEnv(env []string) []string { return without(env, localToGit) }

// without are the variables of an environment but those of some names.
func without(env []string, names ...[]string) []string {
	kept := make([]string, 0, len(env)+2)
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(names, func(list []string) bool { return slices.Contains(list, name) }) {
			kept = append(kept, v)
		}
	}
	return kept
}

// gitEnv is the environment of a git that we start.
func gitEnv(env []string) []string {
	env = without(env, localToGit, pathsToGit, []string{"LC_ALL"})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_DISCOVERY_ACROSS_FILESYSTEM=1")
}

// exitCode returns the status git ended with, or -1 when it gave none.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
