package gates

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/reader"
)

const (
	// compareBlock is what a file is cut into where it is not kept, in bytes: small
	// enough to say where, large enough that the hashes of a GiB take 512 KiB.
	compareBlock = 64 << 10
	// keptFiles bounds what is copied of files, to name elements in them, in bytes of
	// all runs of a gate.
	keptFiles = 512 << 20
	// clockTick is the longest step of the clock that file systems stamp changes with.
	clockTick = 20 * time.Millisecond
)

// comparedFiles are the files that each run writes, and that must be the same. The
// first run's are kept in the directory of the run's record, those of others only
// where they differ.
type comparedFiles struct {
	root, dir string
	config.Repeat
	was  map[string]stamp      // before the run that is on its way
	seen map[string][]fileSeen // by path from root
	runs []int                 // that were looked at
	room int64
}

// fromRoot says where files were looked for.
const fromRoot = "it is looked for from the directory of gpuci.toml"

// stamp tells whether a file was written: any change to it moves its change time,
// which nobody can set.
type stamp struct {
	inode   uint64
	changed time.Time
	size    int64
}

// fileSeen is a file as one run wrote it.
type fileSeen struct {
	run    int
	size   int64
	sum    [sha256.Size]byte
	blocks [][8]byte // of the first run: what each block's hash begins with
	odd    []int     // blocks that are otherwise than in the first run
	copy   string    // "" where it was not kept
}

func newComparedFiles(root, dir string, r config.Repeat) *comparedFiles {
	return &comparedFiles{root: root, dir: dir, Repeat: r, seen: make(map[string][]fileSeen), room: keptFiles}
}

// glob lists the files by their paths from root; none are the globs that no file is
// of.
func (c *comparedFiles) glob() (all, none []string, err error) {
	for _, g := range c.Files {
		found, err := c.globOne(g)
		if err != nil {
			return nil, nil, fmt.Errorf("find %s: %w", g, err)
		}
		if len(found) == 0 {
			none = append(none, g)
		}
		for _, p := range found {
			rel, err := filepath.Rel(c.root, p)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, rel)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), none, nil
}

// globOne follows links to directories, but for what ** stands for.
func (c *comparedFiles) globOne(glob string) ([]string, error) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(glob)), "/")
	n := slices.Index(parts, "**")
	if n < 0 {
		return filepath.Glob(filepath.Join(c.root, glob))
	}
	dirs, err := filepath.Glob(filepath.Join(c.root, filepath.Join(parts[:n]...)))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, dir := range dirs {
		found, err := reader.Glob(dir, strings.Join(parts[n:], "/"))
		if err != nil && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (c *comparedFiles) stamp(path string) (stamp, error) {
	info, err := os.Stat(filepath.Join(c.root, path))
	if err != nil {
		return stamp{}, err
	}
	s := stamp{size: info.Size()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode, s.changed = st.Ino, time.Unix(st.Ctim.Unix())
	}
	if !info.Mode().IsRegular() {
		return s, fmt.Errorf("compare %s: it is no regular file: write a narrower glob", path)
	}
	return s, nil
}

// before remembers what is there before a run. It waits until the clock of the file
// system has moved on from the last change, so that any change shows.
func (c *comparedFiles) before() error {
	if c == nil {
		return nil
	}
	paths, _, err := c.glob()
	if err != nil {
		return err
	}
	c.was = make(map[string]stamp)
	var last time.Time
	for _, p := range paths {
		s, err := c.stamp(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		c.was[p] = s
		if s.changed.After(last) {
			last = s.changed
		}
	}
	if wait := time.Until(last.Add(clockTick)); wait > 0 {
		time.Sleep(min(wait, clockTick))
	}
	return nil
}

// after looks at what a run has written. A file that was there and was not written
// would be like itself whatever the run computes.
func (c *comparedFiles) after(ctx context.Context, run int) error {
	if c == nil {
		return nil
	}
	paths, none, err := c.glob()
	if err != nil {
		return err
	}
	if len(none) > 0 {
		return fmt.Errorf("run %d wrote no file %s, which identical names: %s", run, none[0], fromRoot)
	}
	bytes := int64(0)
	for _, p := range paths {
		now, err := c.stamp(p)
		if err != nil {
			return err
		}
		if was, ok := c.was[p]; ok && was == now {
			return fmt.Errorf("run %d did not write %s (%s): it is the one that was there before", run, p, fromRoot)
		}
		seen, err := c.read(ctx, p, run)
		if err != nil {
			return fmt.Errorf("compare %s: %w", p, err)
		}
		bytes += seen.size
		c.seen[p] = append(c.seen[p], seen)
	}
	if bytes == 0 {
		return fmt.Errorf("run %d left nothing in the files that identical names", run)
	}
	c.runs = append(c.runs, run)
	return nil
}
