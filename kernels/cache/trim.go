package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// kept is a file that may go.
type kept struct {
	path string
	size int64
	used time.Time
}

// slack is the part of the limit that a trim frees beyond it, so that not every
// build has to.
const slack = 10 // a tenth

// Trim removes the least lately used until the cache is a tenth below its limit,
// if it is above it, and what the killed left behind. It gives the bytes freed.
// Another process may be reading what goes: it finds a miss.
func (c *Cache) Trim() (freed int64, err error) {
	swept := c.sweep()
	if c.limit < 0 {
		return 0, swept
	}
	all, total, err := c.list()
	if err = errors.Join(err, swept); err != nil {
		return 0, fmt.Errorf("trim the cache %s: %w", c.dir, err)
	}
	if total <= c.limit {
		return 0, nil
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if total-freed <= c.limit-c.limit/slack {
			break
		}
		if err := os.Remove(k.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return freed, fmt.Errorf("trim the cache %s: %w", c.dir, err)
		}
		freed += k.size
	}
	return freed, nil
}

// list is every file that may go, and their bytes. A use in the future was noted
// while the clock was wrong, and says nothing: it counts as the oldest, or it
// would stay for ever.
func (c *Cache) list() (all []kept, total int64, err error) {
	now := c.now()
	for _, kind := range []string{"record", "blob"} {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(c.dir, kind), func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return nil // somebody else removed it
			}
			k := kept{path, info.Size(), info.ModTime()}
			if k.used.After(now.Add(stale)) {
				k.used = time.Time{}
			}
			all, total = append(all, k), total+k.size
			return nil
		}))
	}
	return all, total, err
}
