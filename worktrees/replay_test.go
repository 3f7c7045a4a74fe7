package worktrees

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// replayStage is a repository whose trunk has gone on, a lane of its own with the
// commits that are to be replayed, and a detached one to do it in.
func replayStage(t *testing.T) (r, lane, scratch repo) {
	t.Helper()
	r = newRepo(t)
	top := t.TempDir()
	lane, scratch = repo{t, filepath.Join(top, "kda")}, repo{t, filepath.Join(top, "scratch")}
	r.git("worktree", "add", "-q", lane.dir)
	r.write("trunk.txt", "trunk\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "trunk goes on")
	return r, lane, scratch
}

func (r repo) commit(path, text, message string) string {
	r.tb.Helper()
	r.write(path, text)
	r.git("add", "-A")
	r.git("commit", "-qm", message)
	return r.id("HEAD")
}

func replay(t *testing.T, r, lane, scratch repo) (string, error) {
	t.Helper()
	r.git("worktree", "add", "-q", "--detach", scratch.dir, lane.id("HEAD"))
	return Replay(context.Background(), scratch.lane(), lane.lane(), r.id("trunk"), lane.id("HEAD"))
}

// What is replayed is what git rebase makes of it, whatever the configuration says,
// and no branch moves.
func TestReplayAsRebase(t *testing.T) {
	r, lane, scratch := replayStage(t)
	lane.commit("a b\nc.txt", "1\n", "one: a\n\nwith a body")
	lane.commit("two.txt", "2\n", "fixup! one: a")
	lane.git("checkout", "-qb", "side", "HEAD~1")
	lane.commit("side.txt", "3\n", "side")
	lane.git("checkout", "-q", "kda")
	lane.git("merge", "-q", "--no-edit", "side")
	lane.commit("trunk.txt", "trunk\n", "what trunk has by another name")
	for _, c := range []string{"rebase.updateRefs", "rebase.autoSquash", "rebase.rebaseMerges", "rebase.autoStash", "rerere.enabled", "submodule.recurse"} {
		r.git("config", c, "true")
	}
	r.git("config", "rebase.backend", "apply")
	r.git("config", "core.editor", "false")
	r.git("config", "sequence.editor", "false")
	before := r.git("for-each-ref")
	tip, err := replay(t, r, lane, scratch)
	if err != nil {
		t.Fatal(err)
	}
	if after := r.git("for-each-ref"); after != before {
		t.Errorf("references were moved:\n%s%s", before, after)
	}
	got := strings.Fields(strings.ReplaceAll(r.git("log", "--reverse", "--format=%s%x09", "trunk.."+tip), " ", "_"))
	slices.Sort(got)
	if want := []string{"fixup!_one:_a", "one:_a", "side"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if merges := r.git("rev-list", "--merges", "trunk.."+tip); merges != "" {
		t.Errorf("merges: %s", merges)
	}
	list, err := UnlandedOf(context.Background(), lane.lane(), r.id("trunk"), lane.id("HEAD"))
	if err != nil || len(list) != 5 || !slices.ContainsFunc(list, func(u Unlanded) bool { return u.Merge }) || list[0].Subject != "one: a" {
		t.Errorf("unlanded: %+v, %v", list, err)
	}
}

// All of it is there already: the base itself is what is left.
func TestReplayNothingLeft(t *testing.T) {
	r, lane, scratch := replayStage(t)
	lane.commit("trunk.txt", "trunk\n", "the same")
	if tip, err := replay(t, r, lane, scratch); err != nil || tip != r.id("trunk") {
		t.Errorf("%s, %v", tip, err)
	}
}

// A conflict names commit and paths, and the scratch lane is where it was.
func TestReplayConflict(t *testing.T) {
	r, lane, scratch := replayStage(t)
	lane.commit("fine.txt", "fine\n", "fine")
	id := lane.commit("trunk.txt", "mine\n", "kda: my trunk")
	_, err := replay(t, r, lane, scratch)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || conflict.Commit != id || conflict.Subject != "kda: my trunk" || !slices.Equal(conflict.Paths, []string{"trunk.txt"}) {
		t.Errorf("%v", err)
	}
	if scratch.id("HEAD") != lane.id("HEAD") || scratch.git("status", "--porcelain") != "" {
		t.Error("the scratch lane is not at its commit, clean")
	}
}

// Stopped in the middle, it says so, and the branch of nobody has moved.
func TestReplayStopped(t *testing.T) {
	r, lane, scratch := replayStage(t)
	lane.commit("fine.txt", "fine\n", "fine")
	r.git("worktree", "add", "-q", "--detach", scratch.dir, lane.id("HEAD"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Replay(ctx, scratch.lane(), lane.lane(), r.id("trunk"), lane.id("HEAD")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Settings that git makes its list of steps by are those of nobody: none of it is
// run, left out or rewritten.
func TestReplayBentSettings(t *testing.T) {
	r, lane, scratch := replayStage(t)
	ran := filepath.Join(t.TempDir(), "ran")
	lane.commit("one.txt", "1\n", "one")
	message := "two\n\n# no comment\npick me"
	lane.write("two.txt", "2\n")
	lane.git("add", "-A")
	lane.git("commit", "-q", "--cleanup=verbatim", "-m", message)
	for key, value := range map[string]string{
		"rebase.instructionFormat": "%s%nexec touch " + ran, "core.commentChar": "p", "commit.cleanup": "strip",
		"rebase.missingCommitsCheck": "error", "rebase.abbreviateCommands": "true", "merge.default": "ours", "merge.renames": "false",
		"merge.ours.driver": "touch " + ran, "sequence.editor": "touch " + ran, "core.editor": "touch " + ran,
	} {
		r.git("config", key, value)
	}
	tip, err := replay(t, r, lane, scratch)
	if err != nil {
		t.Fatal(err)
	}
	if there(ran) {
		t.Error("something was run")
	}
	if got := r.git("log", "--format=%B", "-1", tip); !strings.HasPrefix(got, message+"\n") {
		t.Errorf("the message is %q", got)
	}
	if n, err := CountBetween(context.Background(), r.lane(), r.id("trunk"), tip); n != 2 || err != nil {
		t.Errorf("%d commits, %v", n, err)
	}
}

// Commits are signed as the configuration of the lane has it; where that fails git
// says why, and the command that it was.
func TestReplaySigned(t *testing.T) {
	r, lane, scratch := replayStage(t)
	lane.commit("one.txt", "1\n", "one")
	r.git("config", "extensions.worktreeConfig", "true")
	lane.git("config", "--worktree", "commit.gpgSign", "true")
	lane.git("config", "--worktree", "gpg.program", "false")
	_, err := replay(t, r, lane, scratch)
	var stuck *StuckError
	if !errors.As(err, &stuck) || !strings.Contains(stuck.Said, "failed to sign") || strings.Contains(stuck.err.Error(), "git -c") || !strings.Contains(stuck.err.Error(), "run git rebase in ") {
		t.Fatalf("%v: %+v", err, stuck)
	}
	if scratch.id("HEAD") != lane.id("HEAD") {
		t.Error("the scratch lane is not at its commit")
	}
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs ssh-keygen")
		}
		t.Skip("needs ssh-keygen")
	}
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lane.git("config", "--worktree", "gpg.format", "ssh")
	lane.git("config", "--worktree", "user.signingKey", key)
	tip, err := Replay(context.Background(), scratch.lane(), lane.lane(), r.id("trunk"), lane.id("HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.git("cat-file", "commit", tip); !strings.Contains(got, "\ngpgsig") {
		t.Errorf("it is not signed: %s", got)
	}
}
