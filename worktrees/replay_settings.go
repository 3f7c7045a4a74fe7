package worktrees

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// replaySettings keep a replay to itself whatever the configuration says: no other
// branch moved along, no notes copied, no conflict remembered or resolved from
// memory, no housekeeping; and every setting that git writes or reads its list of
// steps by as it is where nobody sets it: instructionFormat with a newline in it
// would be commands, a commentChar of "p" a list that is all comment. A driver
// that merges some kind of file is left as it is: the repository's files need it.
func replaySettings() []string {
	return []string{
		"rebase.backend=merge", "rebase.updateRefs=false", "rebase.rebaseMerges=false", "rebase.autoSquash=false", "rebase.autoStash=false",
		"rebase.forkPoint=false", "rebase.instructionFormat=%s", "rebase.abbreviateCommands=false", "rebase.missingCommitsCheck=ignore",
		"rebase.rescheduleFailedExec=false", "rebase.stat=false",
		"sequence.editor=true", "core.editor=true", "core.commentChar=#", "core.commentString=#",
		"commit.cleanup=verbatim", "notes.rewrite.rebase=false",
		"merge.default=text", "merge.renames=true", "merge.directoryRenames=conflict", "merge.renormalize=false", "merge.renameLimit=7000",
		"diff.renames=true", "diff.ignoreSubmodules=none",
		"rerere.enabled=false", "submodule.recurse=false", "gc.auto=0", "maintenance.auto=false",
	}
}

// noEditor is for a git that could start one; variables go before settings.
func noEditor() []string { return []string{"GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true"} }

// runGitSet is runGitWith with settings that go before any configuration.
func runGitSet(ctx context.Context, l Lane, env, settings []string, args ...string) ([]byte, error) {
	var options []string
	for _, s := range settings {
		options = append(options, "-c", s)
	}
	return outputOf(ctx, gitCommand(ctx, l, env, append(options, args...)...), nil, args[0])
}

// signing is whether and how a commit in a lane is signed, as settings: they can be
// that lane's alone (extensions.worktreeConfig).
func signing(ctx context.Context, of Lane) (list []string, err error) {
	found, err := readSettings(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("find how lane %s signs: %w", of.Name, err)
	}
	for key, value := range found {
		if key == "commit.gpgsign" || key == "user.signingkey" || strings.HasPrefix(key, "gpg.") {
			list = append(list, key+"="+value)
		}
	}
	slices.Sort(list)
	return list, nil
}
