package inputs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Change is what has changed since an outcome was made.
type Change struct {
	// First is the first changed path from the lane's root, "" when none is; one
	// outside of the lane is absolute.
	First string
	// Count is how many there are.
	Count int
	// Since is the newest modification of those that are there; zero when all are
	// gone. Git gives a file it checks out the time of the checkout.
	Since time.Time
	// Meanwhile says that the first was changed while the gate ran, so that nobody
	// knows what of it was judged.
	Meanwhile bool
	// Unknown says why it cannot be told what has changed.
	Unknown string

	paths []Path
}

// Stale says whether the outcome is one about the past, or may be.
func (c Change) Stale() bool { return c.Count > 0 || c.Unknown != "" }

// String is a remark for a reader, "" when nothing has changed.
func (c Change) String() string {
	if !c.Stale() {
		return ""
	}
	if c.Unknown != "" {
		return "perhaps stale: " + c.Unknown
	}
	return "stale: " + c.What()
}

// What says what has changed and when, "" when nothing has.
func (c Change) What() string {
	if c.Count == 0 {
		return ""
	}
	what, when := c.First, "deleted"
	switch {
	case c.Count == 2:
		what += " and 1 other file"
	case c.Count > 2:
		what += fmt.Sprintf(" and %d other files", c.Count-1)
	}
	if c.Meanwhile {
		when = string(Meanwhile)
	} else if !c.Since.IsZero() {
		when = "changed " + c.Since.Local().Format("2006-01-02 15:04:05")
	}
	return what + " " + when
}

// changeOf describes some changed paths of the lane at root.
func changeOf(root string, paths []Path) Change {
	if len(paths) == 0 {
		return Change{}
	}
	slices.Sort(paths)
	ch := Change{First: string(paths[0]), Count: len(paths), paths: paths}
	for _, p := range paths {
		at := string(p)
		if !filepath.IsAbs(at) {
			at = filepath.Join(root, at)
		}
		info, err := os.Lstat(at)
		if err == nil && info.ModTime().After(ch.Since) {
			ch.Since = info.ModTime()
		}
	}
	return ch
}
