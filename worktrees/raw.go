package worktrees

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Raw is a file whose bytes or mode on disk are others than those that git would
// commit of it: git converts line ends, filters clean, and core.fileMode can be off.
// Leaf has the mode that is there, and the id that its bytes have as they are.
type Raw struct {
	Leaf
	// Odd says that git calls the file unmodified, and would not check it out so
	// either: carriage returns that somebody put in, what a filter takes out again.
	Odd bool
}

// maxRaw bounds how many files are checked out to see what git makes of them.
const maxRaw = 2000

// ReadRaw finds such files among the changed paths of a draft, and among those that
// git calls unmodified and cannot vouch for: by their times, or, as git takes those
// down again after it has looked, by a size that their content in git has not. It
// costs a question to git where nothing is converted and modes are kept. Files that
// are as git has them, not as it would check them out, are none of these: a pointer
// of Git LFS that was never replaced. Those that LFS did replace are believed to be
// what the pointer says.
func ReadRaw(ctx context.Context, l Lane, d Draft) ([]Raw, error) {
	out, err := rawLeaves(ctx, l, d)
	if err != nil {
		return nil, fmt.Errorf("read files as they are in lane %s: %w", l.Name, err)
	}
	changed := make(map[string]bool, len(d.Leaves))
	for _, leaf := range d.Leaves {
		changed[leaf.Path] = true
	}
	x, err := readIndex(l.GitDir)
	if err != nil { // git alone can say what is in it
		return out, nil
	}
	odd, err := x.odd(ctx, l, changed)
	if err != nil {
		return nil, fmt.Errorf("read files as they are in lane %s: %w", l.Name, err)
	}
	out = append(out, odd...)
	slices.SortFunc(out, func(a, b Raw) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// rawLeaves are the changed files that git converts.
func rawLeaves(ctx context.Context, l Lane, d Draft) (out []Raw, err error) {
	for _, leaf := range d.Leaves {
		if leaf.Mode != regular && leaf.Mode != executable {
			continue
		}
		raw, err := RawLeaf(ctx, l, leaf.Path, len(leaf.ID))
		if err != nil {
			return nil, err
		}
		if !raw.Gone() && raw != leaf {
			out = append(out, Raw{Leaf: raw})
		}
	}
	return out, nil
}

// RawLeaf reads a plain file as it is on disk; width is how long ids are in hex. It
// is gone where there is no such file.
func RawLeaf(ctx context.Context, l Lane, path string, width int) (Leaf, error) {
	leaf := Leaf{Path: path, Mode: absent}
	full := filepath.Join(l.Root, path)
	info, err := os.Lstat(full)
	if err != nil || !info.Mode().IsRegular() {
		return leaf, nil
	}
	id, _, err := nameFile(ctx, full, width, never)
	switch {
	case err != nil && ctx.Err() != nil:
		return leaf, ctx.Err()
	case errors.Is(err, fs.ErrPermission):
		leaf.Mode = unreadable
	case err == nil:
		leaf.ID, leaf.Mode = id, record{}.modeOf(info)
	}
	return leaf, nil
}

// odd are the files that git calls unmodified and would not check out as they are.
func (x *index) odd(ctx context.Context, l Lane, changed map[string]bool) (out []Raw, err error) {
	rules, err := readRules(ctx, l, x, changed)
	if err != nil || !rules.converts && !rules.modes {
		return nil, err
	}
	var suspects []entry
	var sized []entry
	sizes := make(map[string]int64)
	for _, e := range x.entries {
		path := string(e.path)
		var st unix.Stat_t
		if !e.plain() || e.hidden() || e.mode()&modeType != unix.S_IFREG || changed[path] ||
			unix.Lstat(filepath.Join(l.Root, path), &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		switch {
		case rules.modes && !sameMode(e.mode(), st.Mode), rules.converts && (!sameStat(e, &st) || x.racy(e)):
			suspects = append(suspects, e)
		case rules.converts:
			sized = append(sized, e)
			sizes[path] = st.Size
		}
	}
	more, err := otherSize(ctx, l, sized, sizes)
	if err != nil {
		return nil, err
	}
	suspects = append(suspects, more...)
	return compareRaw(ctx, l, suspects[:min(len(suspects), maxRaw)], rules)
}

// otherSize are the entries of whose content in git the size is another than that
// on disk.
func otherSize(ctx context.Context, l Lane, entries []entry, sizes map[string]int64) (out []entry, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	var ask bytes.Buffer
	for _, e := range entries {
		fmt.Fprintln(&ask, hex.EncodeToString(e.id()))
	}
	said, err := runGit(ctx, l, ask.Bytes(), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(said), "\n"), "\n")
	if len(lines) != len(entries) {
		return nil, fmt.Errorf("read git cat-file: %d lines for %d objects", len(lines), len(entries))
	}
	for i, e := range entries {
		// One that a partial clone has not fetched is not said to be of any size.
		if size := fmt.Sprint(sizes[string(e.path)]); lines[i] != size && !strings.HasSuffix(lines[i], " missing") {
			out = append(out, e)
		}
	}
	return out, nil
}

// compareRaw holds suspects against what git checks out in their place.
func compareRaw(ctx context.Context, l Lane, suspects []entry, rules rules) (out []Raw, err error) {
	var unlike []entry
	var raws []Leaf
	for _, e := range suspects {
		raw, err := RawLeaf(ctx, l, string(e.path), hexSHA1)
		if err != nil {
			return nil, err
		}
		mode := fmt.Sprintf("%06o", e.mode())
		if raw.Gone() || raw.ID == hex.EncodeToString(e.id()) && (raw.Mode == mode || !rules.modes) {
			continue
		}
		unlike, raws = append(unlike, e), append(raws, raw)
	}
	checkedOut, err := checkOut(ctx, l, unlike)
	if err != nil {
		return nil, err
	}
	for i, raw := range raws {
		id, known := checkedOut[raw.Path]
		other := rules.modes && raw.Mode != fmt.Sprintf("%06o", unlike[i].mode())
		if other || known && id != raw.ID {
			out = append(out, Raw{raw, true})
		}
	}
	return out, nil
}
