package gates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"gpuci/worktrees"
)

// bind writes down what the verdict will hold for: everything that is known
// before the build.
func (f *flow) bind(ctx context.Context) {
	b := &f.v.Bound
	b.Profile, b.Backend, b.Gpuci = f.gate.Profile, f.gate.Backend, f.opt.Version
	b.Host, _ = os.Hostname()
	b.Kernel = kernelRelease()
	b.Config = hashOf(f.opt.Gate)
	if ctx.Err() != nil {
		return
	}
	b.Unread = false
	if f.opt.Bundle != nil {
		f.bindBundle()
		return
	}
	if f.opt.Lane.Root == "" {
		f.mark("outside git: bound to no commit")
		return
	}
	state, watch, err := worktrees.ReadAndWatch(ctx, f.opt.Lane)
	f.lane = watch
	if err != nil {
		if b.Unread = ctx.Err() != nil; !b.Unread {
			f.mark("bound to no commit: " + err.Error())
		}
		return
	}
	b.state = state
	f.readDraft(ctx, state)
	b.Commit, b.Branch, b.Changes, b.Changed = state.Commit, f.opt.branch(state.Branch), state.Changes, state.Paths
	f.readRaw(ctx, state)
	if state.Commit == "" {
		f.mark("bound to no commit: the branch has none yet")
	}
}

// rebind looks at the lane again after the run: a file saved meanwhile makes
// it unclear which state was judged. Where the watch has seen nothing, that is
// the answer.
func (f *flow) rebind(ctx context.Context) {
	defer f.lane.Close()
	if f.opt.Bundle != nil {
		f.rebindBundle(ctx)
		return
	}
	b := &f.v.Bound
	if f.draft != nil {
		b.Tree = f.draft().Tree
	}
	if b.Commit == "" || f.lane.Unchanged(ctx) {
		return
	}
	now, err := worktrees.ReadState(ctx, f.opt.Lane)
	switch {
	case err != nil:
		f.mark("the lane could not be read after the run: " + err.Error())
	case now.Commit != b.state.Commit:
		f.mark(fmt.Sprintf("the lane moved from %.10s to %.10s while the gate ran: run it again", b.state.Commit, now.Commit))
	case now.Changes != b.state.Changes:
		f.mark("the lane changed while the gate ran" + differing(b.state, now) + toSettle(b.state, now))
	}
}

// readDraft gives what is in the lane its id. Of a clean one that is its commit's,
// which nobody can change, and is asked for beside the gate.
func (f *flow) readDraft(ctx context.Context, state worktrees.State) {
	f.draft = sync.OnceValue(func() worktrees.Draft {
		d, err := worktrees.ReadDraft(ctx, f.opt.Lane, state)
		if err != nil {
			f.opt.detail("what is in the lane has no id: %v", err)
			return worktrees.Draft{Commit: state.Commit} // then the whole lane is held against its commit
		}
		return d
	})
	if state.Dirty || f.opt.Sample {
		_ = f.draft()
		return
	}
	go func() { _ = f.draft() }()
}

// readRaw finds what git calls unmodified and does not check out so: a build reads
// it as it is, and nobody gets it with the commit. It counts as uncommitted.
func (f *flow) readRaw(ctx context.Context, state worktrees.State) {
	d := worktrees.Draft{Commit: state.Commit}
	if state.Dirty {
		d = f.draft()
	}
	raw, err := worktrees.ReadRaw(ctx, f.opt.Lane, d)
	if err != nil {
		if ctx.Err() == nil {
			f.mark("whether all files are as git checks them out is not known: " + err.Error())
		}
		return
	}
	f.raw = raw
	b := &f.v.Bound
	changes, odd := withOdd(state.Changes, raw)
	if len(odd) > 0 {
		b.Changes, b.Changed = changes, append(slices.Clone(b.Changed), odd...)
		f.mark("not as git checks it out, though git calls it unmodified: " + few(odd))
	}
}

// withOdd is the hash of what is not committed, with those files in it that are not as
// git checks them out, and their paths.
func withOdd(changes string, raw []worktrees.Raw) (sum string, odd []string) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", changes)
	for _, r := range raw {
		if r.Odd {
			odd = append(odd, r.Path)
			fmt.Fprintf(h, "%s\x00%s\x00%s\x00", r.Mode, r.ID, r.Path)
		}
	}
	if len(odd) == 0 {
		return changes, nil
	}
	return hex.EncodeToString(h.Sum(nil)), odd
}

// toSettle is what to do about it: what was not there before may be of the gate's
// own making, a Cargo.lock that nobody committed.
func toSettle(before, after worktrees.State) string {
	if len(beyond(after.Paths, before.Paths)) > 0 {
		return "; what the gate itself makes is to be committed, or named in .gitignore"
	}
	return "; run it again"
}

// differing names the paths by which two states differ: changed in one and
// not in the other. Where there is none, a changed file changed again.
func differing(a, b worktrees.State) string {
	out := append(beyond(b.Paths, a.Paths), beyond(a.Paths, b.Paths)...)
	if len(out) == 0 {
		return ""
	}
	return ": " + few(out)
}

// beyond is what a list has that another one has not.
func beyond(list, other []string) (out []string) {
	for _, p := range list {
		if !slices.Contains(other, p) {
			out = append(out, p)
		}
	}
	return out
}

// few names the first of some paths.
func few(paths []string) string {
	const most = 3
	if len(paths) > most {
		paths = append(slices.Clone(paths[:most]), "…")
	}
	return strings.Join(paths, ", ")
}

// hashOf identifies a gate's settings: a bar that was loosened makes an older
// verdict one about another gate.
func hashOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
}
