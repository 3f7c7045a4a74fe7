package worktrees

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// flagAssume is the bit of an entry's flags that git update-index
// --assume-unchanged sets.
const flagAssume = 0x8000

// hidden are the files that git was told not to look at (git-update-index(1),
// --assume-unchanged and --skip-worktree), and that are on disk otherwise than in
// the index all the same. git status says nothing of them, and a build reads them
// like any other. One that is skipped and not there is what a sparse checkout
// leaves out, and is none of these.
func hidden(ctx context.Context, l Lane) ([]record, error) {
	suspects, err := hiddenEntries(ctx, l)
	if err != nil || len(suspects) == 0 {
		return nil, err
	}
	leaves, err := readLeaves(ctx, l, len(suspects[0].id), suspects)
	if err != nil {
		return nil, fmt.Errorf("read files that git was told not to look at: %w", err)
	}
	var changed []record
	for i, r := range suspects {
		same := leaves[i].ID == r.id && leaves[i].Mode == r.mode
		if leaves[i].ID == r.id && !same { // a mode that the repository may not keep
			if same, err = modesNotKept(ctx, l); err != nil {
				return nil, err
			}
			same = same && leaves[i].Mode != symlink && r.mode != symlink
		}
		if !same {
			changed = append(changed, r)
		}
	}
	return changed, nil
}

// hiddenEntries are those that stat data does not clear: from the index, and from
// git where that cannot be read here.
func hiddenEntries(ctx context.Context, l Lane) (out []record, err error) {
	x, err := readIndex(l.GitDir)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was ever added
		return nil, nil
	case err != nil:
		return hiddenByGit(ctx, l)
	}
	for _, e := range x.entries {
		if !e.hidden() || !e.plain() {
			continue
		}
		var st unix.Stat_t
		err := unix.Lstat(filepath.Join(l.Root, string(e.path)), &st)
		gone := err == unix.ENOENT || err == unix.ENOTDIR
		if gone && e.skip() || err == nil && sameMode(e.mode(), st.Mode) && sameStat(e, &st) && !x.racy(e) {
			continue
		}
		out = append(out, hiddenRecord(string(e.path), fmt.Sprintf("%06o", e.mode()), hex.EncodeToString(e.id())))
	}
	return out, nil
}

// hidden says whether git was told not to look.
func (e entry) hidden() bool { return e.skip() || e.flags()&flagAssume != 0 }

func hiddenRecord(path, mode, id string) record {
	return record{path: path, tracked: true, onDisk: true, mode: mode, id: id}
}

// hiddenByGit asks git ls-files: "S" is skipped, and a letter in lower case is
// assumed to be unchanged.
func hiddenByGit(ctx context.Context, l Lane) (out []record, err error) {
	list, err := runGit(ctx, l, nil, "ls-files", "-v", "-s", "-z")
	if err != nil {
		return nil, err
	}
	for _, line := range splitNUL(list) {
		about, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 { // tag, mode, id, stage
			return nil, fmt.Errorf("read git ls-files: entry %q is not tag, mode, id, stage and path", line)
		}
		tag, mode, id := fields[0], fields[1], fields[2]
		skipped := strings.EqualFold(tag, "S")
		if !skipped && tag != strings.ToLower(tag) || mode == gitlink || fields[3] != "0" {
			continue
		}
		if skipped {
			var st unix.Stat_t
			if err := unix.Lstat(filepath.Join(l.Root, path), &st); err == unix.ENOENT || err == unix.ENOTDIR {
				continue
			}
		}
		out = append(out, hiddenRecord(path, mode, id))
	}
	return out, nil
}

// modesNotKept says that the repository does not keep executable bits.
func modesNotKept(ctx context.Context, l Lane) (bool, error) {
	out, err := runGit(ctx, l, nil, "config", "--type=bool", "core.fileMode")
	if err != nil && exitCode(err) != 1 { // 1: not set, and kept then
		return false, err
	}
	return strings.TrimSpace(string(out)) == "false", nil
}

// reveal adds what is hidden to what git status has said, for ReadState.
func (r *report) reveal(list []record) {
	for _, h := range list {
		if !slices.ContainsFunc(r.changes, func(c change) bool { return c.path == h.path }) {
			r.changes = append(r.changes, change{path: h.path, headMode: h.mode, headID: h.id})
		}
	}
	slices.SortStableFunc(r.changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
}

// revealed is the same for ReadDraft. Of a path that is staged, too, what is on
// disk counts.
func revealed(records, list []record) []record {
	for _, h := range list {
		if i := slices.IndexFunc(records, func(r record) bool { return r.path == h.path }); i >= 0 {
			records[i].onDisk, records[i].workMode = true, ""
		} else {
			records = append(records, h)
		}
	}
	slices.SortStableFunc(records, func(a, b record) int { return strings.Compare(a.path, b.path) })
	return records
}
