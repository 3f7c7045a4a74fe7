package inputs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gpuci/worktrees"
)

// copied says whether a product is one that another lane's run judged, and was
// brought here. Bytes alone do not say it: two lanes build the same of the same
// sources, and often of others (a comment, a file that is read later). So it is
// only said where some of that run's sources are otherwise here, where neither
// this gate's build wrote the file nor an earlier run of this lane had it, and
// where no dependency file was written for it here. Even then it may have been
// built here by hand; that it was not is only certain of one that has the other's
// very time, or was here before the sources were changed, with no compiler's word
// beside it.
func (s Site) copied(ctx context.Context, p Product, in Inputs) ([]Complaint, error) {
	if s.built(p, in) {
		return nil, nil
	}
	for _, e := range s.Earlier {
		if e.Lane == s.Lane.Name && e.SHA256 == p.SHA256 && !e.Doubted {
			return nil, nil
		}
	}
	for _, e := range s.Earlier {
		same := e.SHA256 == p.SHA256 || e.BuildID != "" && e.BuildID == p.BuildID
		if !same || e.Lane == s.Lane.Name || e.Sources == nil {
			continue
		}
		ch, err := e.Sources(ctx)
		if err != nil || !ch.Stale() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}
		if c, said := s.perhaps(p, in, e, ch); said {
			return []Complaint{c}, nil
		}
	}
	return nil, nil
}

// perhaps says how sure it is that a product is another lane's, in which sources
// are otherwise than here.
func (s Site) perhaps(p Product, in Inputs, e Earlier, ch Change) (Complaint, bool) {
	newest := s.newest(ch, in)
	carried := !newest.IsZero() && e.Built.Equal(p.Built) && p.Built.Nanosecond() != 0 &&
		slices.ContainsFunc(s.others(), func(t worktrees.Tree) bool { return t.Name == e.Lane })
	by := in.here[p.Path]
	if !carried && !by.IsZero() && s.ours(in.sources[p.Path]) && newest.Sub(by) <= coarse(newest, by) {
		return Complaint{}, false
	}
	why := ch.Unknown
	if why == "" {
		why = "here " + ch.First + " is not as it was there"
	}
	text := fmt.Sprintf("%s's build product, not lane %s's: it is what a run there judged (%s), and %s", e.Lane, s.Lane.Name, e.Path, why)
	const next = "build it here: build = in gpuci.toml does so before each run"
	info, err := os.Stat(p.Path)
	before := err == nil && !newest.IsZero() && newest.Sub(changed(info)) > coarse(newest, changed(info))
	if carried || before && in.written[p.Path].IsZero() {
		return Complaint{Foreign, p.Path, s.display(p.Path) + " is lane " + text, next}, true
	}
	return Complaint{Perhaps, p.Path, s.display(p.Path) + mayBe + text, next}, true
}

// newest is when the last of some changed sources was changed: of those that
// something is compiled from, for a file of data is not in a product.
func (s Site) newest(ch Change, in Inputs) (newest time.Time) {
	for _, path := range ch.paths {
		_, read := slices.BinarySearch(in.Files, string(path))
		if !read && language(string(path)) == "" {
			continue
		}
		newest = later(newest, written(filepath.Join(s.Lane.Root, string(path))))
	}
	return newest
}

// ours says that none of a product's own sources is in another lane.
func (s Site) ours(sources []string) bool {
	return !slices.ContainsFunc(sources, func(path string) bool {
		owner, in := worktrees.Of(s.Lanes, path)
		return in && owner.Root != s.Lane.Root
	})
}

// built says whether a build of this run wrote a product: a compiler wrote down
// what it read, or the gate has commands that build.
func (s Site) built(p Product, in Inputs) bool {
	if s.Begun.IsZero() || p.Built.Before(s.Begun.Add(-coarse(p.Built, s.Begun))) {
		return false
	}
	return s.Builds || !in.written[p.Path].Before(s.Begun.Add(-coarse(in.written[p.Path], s.Begun)))
}
