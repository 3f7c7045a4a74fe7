package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How long what nobody has touched is kept. A job can wait for days, and its gpuci can be
// gone meanwhile: --resume finds it.
const (
	keepEmpty = 24 * time.Hour      // a night without tasks; its gpuci may be building the archive of the next one
	keepNight = 30 * 24 * time.Hour // with some
	keepThing = 7 * 24 * time.Hour  // a content, program or archive that no order names
	keepPart  = 24 * time.Hour      // what is not whole: a kill left it, or it is still written
)

// Clean removes what nobody needs any more: nights that were left behind, and contents,
// programs and archives that no order names and that were not used for a week.
func (s *Spool) Clean(ctx context.Context) error {
	var errs []error
	needed := make(map[string]bool)
	nights, err := os.ReadDir(filepath.Join(s.place.dir, "nights"))
	errs = append(errs, err)
	for _, n := range nights {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dir := filepath.Join(s.place.dir, "nights", n.Name())
		if dir != s.night && s.place.left(dir) {
			errs = append(errs, os.RemoveAll(dir))
			continue
		}
		errs = append(errs, sweepParts(dir), sweepParts(filepath.Join(dir, "results")), s.place.need(filepath.Join(dir, "tasks"), needed))
	}
	for _, kind := range []string{"contents", "programs", "archives"} {
		errs = append(errs, s.place.sweep(ctx, filepath.Join(s.place.dir, kind), needed))
	}
	return errors.Join(errs...)
}

// left says whether a night was left behind.
func (p place) left(dir string) bool {
	tasks, err := os.ReadDir(filepath.Join(dir, "tasks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	keep := keepEmpty
	if len(tasks) > 0 {
		keep = keepNight
	}
	for _, at := range []string{dir, filepath.Join(dir, "tasks"), filepath.Join(dir, "results")} {
		if info, err := os.Lstat(at); err == nil && time.Since(info.ModTime()) < keep {
			return false
		}
	}
	return true
}

// need notes what the orders of a night name.
func (p place) need(tasks string, needed map[string]bool) error {
	entries, err := os.ReadDir(tasks)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		o, err := p.readOrder(filepath.Join(tasks, e.Name()))
		if err != nil {
			continue // nobody can run it
		}
		needed[o.Program] = true
		if o.Archive != "" {
			needed[filepath.Base(p.archive(o.Archive))] = true
		}
		c, err := p.content(o.Content)
		if o.Content == "" || err != nil {
			continue
		}
		for _, key := range c.keys(o.Content) {
			needed[key] = true
		}
	}
	return sweepParts(tasks)
}

// sweep removes what is not needed and was not used for long. What builds on a content
// touches that too, so that it is never the older one.
func (p place) sweep(ctx context.Context, dir string, needed map[string]bool) error {
	entries, err := os.ReadDir(dir)
	errs := []error{err, sweepParts(dir)}
	for _, e := range entries {
		info, err := e.Info()
		if ctx.Err() != nil || err != nil || needed[e.Name()] || strings.HasPrefix(e.Name(), partPrefix) || time.Since(info.ModTime()) < keepThing {
			continue
		}
		gone := filepath.Join(dir, partName()) // at once, so that nobody finds half of it
		if err := os.Rename(filepath.Join(dir, e.Name()), gone); err != nil {
			errs = append(errs, err)
			continue
		}
		if info, err := os.Lstat(gone); err == nil && time.Since(info.ModTime()) < keepThing { // somebody needs it since we looked
			if err := os.Rename(gone, filepath.Join(dir, e.Name())); err == nil {
				continue
			}
		}
		errs = append(errs, os.RemoveAll(gone))
	}
	return errors.Join(errs...)
}

// sweepParts removes what never became whole.
func sweepParts(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), partPrefix) && time.Since(info.ModTime()) > keepPart {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
