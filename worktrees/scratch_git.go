package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// quietOptions come before every git command that writes, so that nothing but
// the command itself happens: no hook, daemon or maintenance, no submodule, no
// template.
func quietOptions() []string {
	var options []string
	for _, setting := range []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false",
		"submodule.recurse=false", "fetch.recurseSubmodules=false", "fetch.writeCommitGraph=false",
		"worktree.guessRemote=false", "worktree.useRelativePaths=false", "init.templateDir=",
		"advice.detachedHead=false",
	} {
		options = append(options, "-c", setting)
	}
	return append(options, "--no-optional-locks", "--no-pager")
}

// git runs git in a lane, for its output. It holds the place's lock until it
// has ended, also when we have not lived to see that.
func (p *place) git(ctx context.Context, l Lane, stdin []byte, args ...string) ([]byte, error) {
	return p.gitWith(ctx, l, nil, stdin, args...)
}

// gitWith is git with variables in the environment.
func (p *place) gitWith(ctx context.Context, l Lane, env []string, stdin []byte, args ...string) ([]byte, error) {
	options := append(quietOptions(), "--work-tree="+l.Root)
	cmd := gitIn(ctx, l.Root, env, append(options, args...)...)
	return p.output(ctx, cmd, stdin, args)
}

// bare runs git in a directory, with variables that say which repository it is
// about, if any.
func (p *place) bare(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := gitIn(ctx, dir, env, append(quietOptions(), args...)...)
	return p.output(ctx, cmd, nil, args)
}

func (p *place) output(ctx context.Context, cmd *exec.Cmd, stdin []byte, args []string) ([]byte, error) {
	if p.heirs != nil {
		cmd.ExtraFiles = []*os.File{p.heirs}
	}
	what := ""
	for i := 0; i < len(args) && what == ""; i++ {
		if args[i] == "-c" {
			i++
		} else if !strings.HasPrefix(args[i], "-") {
			what = args[i]
		}
	}
	return outputOf(ctx, cmd, stdin, what)
}

// settings is a lane's configuration as git sees it, the last value of each key.
type settings map[string]string

func readSettings(ctx context.Context, l Lane) (settings, error) {
	out, err := runGit(ctx, l, nil, "config", "--list", "-z")
	if err != nil {
		return nil, err
	}
	return parseSettings(string(out)), nil
}

// parseSettings reads `git config -z`: key, a newline, value. A key without a
// value is true.
func parseSettings(out string) settings {
	found := make(settings)
	for _, item := range splitNUL([]byte(out)) {
		key, value, ok := strings.Cut(item, "\n")
		if !ok {
			value = "true"
		}
		found[key] = value
	}
	return found
}

func (s settings) yes(key string) bool {
	switch strings.ToLower(s[key]) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// addWorktree makes the scratch lane's worktree at a commit, with the sparse
// patterns of the lane it is of or with every file. It checks the files out in a
// step of its own: what git has written of them when it fails it would remove,
// and then nobody could see any more that the disk is full.
func (s *Scratch) addWorktree(ctx context.Context, commit string, sparse bool) error {
	var option []string
	if !sparse {
		option = []string{"-c", "core.sparseCheckout=false"}
	}
	if err := s.register(ctx, append(option, "worktree", "add", "--quiet", "--no-checkout", "--detach", "--", s.place.root(), commit)); err != nil {
		return err
	}
	lane, err := laneAt(s.place.root())
	if err != nil {
		return err
	}
	lane.Name = "scratch/" + s.place.id
	s.Lane = lane
	if err := os.WriteFile(filepath.Join(lane.GitDir, scratchMark), s.record, 0o600); err != nil {
		return err
	}
	if err := s.overruleWorktree(ctx); err != nil {
		return err
	}
	if _, err := s.place.git(ctx, s.Lane, nil, append(option, "reset", "--quiet", "--hard")...); err != nil {
		return fmt.Errorf("check out %.10s: %w", commit, err)
	}
	return nil
}

// register runs git worktree add.
func (s *Scratch) register(ctx context.Context, args []string) error {
	var last error // where git left something, it would only say that this is there
	err := amid(ctx, func() error {
		if last != nil && there(s.place.root()) {
			return nil
		}
		_, last = s.place.git(ctx, s.from, nil, args...)
		return last
	})
	return cmp.Or(err, last)
}

// amidTries is more often than git has been seen to stumble in a row, with two that
// make and remove worktrees without a pause.
const amidTries = 8

// amid has a git that looks at all worktrees try again where it stumbled over one that
// somebody made or removed just then: it reads the files of each, whole or not, and
// removes the directory of all with the last, from under one that is being made.
func amid(ctx context.Context, git func() error) (err error) {
	for range amidTries {
		if err = git(); err == nil || ctx.Err() != nil || !stumbled(err.Error()) {
			break
		}
	}
	return err
}

func stumbled(text string) bool {
	return strings.Contains(text, "could not create directory of") || strings.Contains(text, "failed to read ") && strings.Contains(text, "/worktrees/")
}

// overruleWorktree sees to it that whoever runs git in the scratch lane gets its
// own files: with extensions.worktreeConfig git takes core.worktree, meant for
// one lane, from the configuration they share.
func (s *Scratch) overruleWorktree(ctx context.Context) error {
	if !s.settings.yes("extensions.worktreeconfig") {
		return nil
	}
	env := []string{"GIT_DIR=" + s.GitDir}
	out, err := s.place.bare(ctx, s.GitDir, env, "config", "--get", "core.worktree")
	switch {
	case exitCode(err) == 1, err == nil && strings.TrimSuffix(string(out), "\n") == s.Root:
		return nil
	case err != nil:
		return err
	}
	file := filepath.Join(s.GitDir, "config.worktree")
	_, err = s.place.bare(ctx, s.GitDir, env, "config", "--file", file, "--replace-all", "core.worktree", s.Root)
	return err
}

// resolve names a commit in full, and says so when the repository has none such.
func resolveCommit(ctx context.Context, l Lane, commit string) (string, error) {
	out, err := runGit(ctx, l, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
	switch {
	case err == nil:
		return strings.TrimSpace(string(out)), nil
	case exitCode(err) > 0:
		return "", fmt.Errorf("commit %s: %w", commit, ErrGone)
	}
	return "", err
}

// there says whether something is at a path.
func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
