package worktrees

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// ScratchOptions say where a scratch lane is made and of what.
type ScratchOptions struct {
	// Dir is the directory of scratch lanes, absolute and outside of any
	// worktree. It is made, for its owner alone, if need be.
	Dir string
	// Commit is a commit in hex; "" makes it of the lane as it is, uncommitted
	// changes included.
	Commit string
	// Fetch is how long a submodule that is nowhere here may be fetched; 0 never
	// fetches.
	Fetch time.Duration
	// For says what the scratch lane is there for, to whoever lists it: "night
	// 2024-05-01", "landing of kda".
	For string
	// Note is told what takes its time; nil says nothing.
	Note func(string)
}

// Scratch is a lane of our own, made of another one and removed when done. Its
// Tree's Target is a directory that no other lane builds into.
type Scratch struct {
	Tree
	// From is the name of the lane it was made of.
	From string
	// Notes say what is otherwise than in a real checkout: LFS pointers,
	// submodules left out.
	Notes []string
	// Env are the variables, "k=v", that build tools need so that what they make
	// goes to Target; nil where they need none.
	Env []string

	from     Lane
	place    *place
	record   []byte
	settings settings
	options  ScratchOptions
	inside   []string // paths of other lanes in the lane that is copied
	cargo    []string // paths of cargo's configurations
	early    struct { // what its first commit holds
		commit  string
		tracked []trackedPath
	}
	kept *kept // what it is to be restored to
}

// NewScratch makes a scratch lane of a lane: its worktree, detached at the
// commit, its submodules, and, for the lane as it is, all that is on disk there
// otherwise than in its commit, proved equal by ReadDraft of both. It has the
// lane's sparse checkout where it is at the lane's own commit, and every file
// elsewhere.
//
// No hook runs, nothing in the lane or in the repository's configuration is
// touched, and no reference but the scratch lane's own HEAD. Filters do run, as
// in any checkout. With an error nothing is left. The error wraps ErrGone where
// there is no such commit, a *SubmoduleError where a submodule is to be had
// nowhere, syscall.ENOSPC where the disk is full.
func NewScratch(ctx context.Context, from Lane, o ScratchOptions) (*Scratch, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	s := &Scratch{From: from.Name, from: from, options: o}
	err := s.make(ctx)
	if err == nil {
		return s, nil
	}
	if !errors.Is(err, syscall.ENOSPC) && ctx.Err() == nil && s.noRoom(err) {
		err = fmt.Errorf("%w: make room in %s, or name another directory: %w", syscall.ENOSPC, o.Dir, err)
	}
	err = fmt.Errorf("make scratch lane of %s: %w", from.Name, err)
	return nil, errors.Join(err, s.Remove(ctx))
}

func (s *Scratch) make(ctx context.Context) error {
	dir, err := scratchDir(ctx, s.options.Dir)
	if err != nil {
		return err
	}
	head := readHead(ctx, s.from)
	commit := s.options.Commit
	if commit == "" && head.commit == "" {
		return errors.New("its branch has no commit yet; commit something first")
	}
	if commit == "" {
		commit = head.commit
	}
	if commit, err = resolveCommit(ctx, s.from, commit); err != nil {
		return err
	}
	if s.settings, err = readSettings(ctx, s.from); err != nil {
		return err
	}
	record := scratchRecord{Common: s.from.CommonDir, ScratchHolder: holderOfScratch(s.from, s.options.For)}
	if s.place, err = newPlace(dir, record); err != nil {
		return err
	}
	record.Kind, record.ID, record.Place = scratchKind, s.place.id, s.place.dir
	if s.record, err = json.Marshal(record); err != nil {
		return err
	}
	// Git checks out with one processor; what can be read meanwhile is.
	var before Draft
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.addWorktree(gctx, commit, commit == head.commit) })
	group.Go(func() error { return s.listEarly(gctx, commit) })
	if s.options.Commit == "" {
		group.Go(func() (err error) {
			before, err = s.readFrom(gctx)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if s.options.Commit == "" {
		err = s.copyLane(ctx, commit, before)
	} else {
		err = s.fill(ctx, commit)
	}
	s.early.commit, s.early.tracked = "", nil
	if err != nil {
		return err
	}
	return s.chooseTarget(ctx)
}

// sparse says whether the scratch lane has the sparse checkout of its lane.
func (s *Scratch) sparse() bool {
	return s.settings.yes("core.sparsecheckout") && there(filepath.Join(s.GitDir, "info", "sparse-checkout"))
}

// scratchDir is the directory of scratch lanes without symbolic links, wherever
// that is not in somebody's worktree.
func scratchDir(ctx context.Context, dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("directory of scratch lanes: %q is not an absolute path", dir)
	}
	dir = realOf(filepath.Clean(dir))
	at := dir
	for !isDir(at) && at != filepath.Dir(at) {
		at = filepath.Dir(at)
	}
	lane, err := Find(ctx, at)
	switch {
	case err == nil:
		return "", fmt.Errorf("directory of scratch lanes: %s is in the worktree %s; name one outside of any", dir, lane.Root)
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return dir, nil
}

// noRoom says whether an error comes of a full disk. Git does not always say so;
// then the disk does, as long as what it was filled with is there.
func (s *Scratch) noRoom(err error) bool {
	const least = 1 << 20 // bytes: what git leaves of a disk it has filled
	for _, said := range []string{"No space left on device", "Disk quota exceeded", "no space left on device", "disk quota exceeded"} {
		if strings.Contains(err.Error(), said) {
			return true
		}
	}
	var st syscall.Statfs_t
	if s.place == nil || syscall.Statfs(s.place.dir, &st) != nil {
		return false
	}
	return st.Bavail*uint64(st.Bsize) < least || (st.Files > 0 && st.Ffree == 0)
}

// remark adds a note.
func (s *Scratch) remark(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// rename is os.Rename that passes over what is not there.
func rename(from, to string) error {
	if !there(from) {
		return nil
	}
	return os.Rename(from, to)
}
