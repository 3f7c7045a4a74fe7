package spool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gpuci/gates"
	"gpuci/worktrees"
)

// Content is a content of a repository in the place, in a directory by its key.
type Content struct {
	Repository string `json:"repository"` // the directory of it, on the machine that packed it
	worktrees.Packed
	OnKey   string   `json:"on-key,omitempty"` // of the content that it builds on
	SHA256  string   `json:"sha256,omitempty"` // of the bundle; "" where there is none
	Modules []Module `json:"modules,omitempty"`
}

// Module is a submodule of a content, in a content of its own.
type Module struct {
	Names []string `json:"names"` // of the submodules that it is in, and its own
	URL   string   `json:"url,omitempty"`
	Key   string   `json:"key"`
}

const (
	contentName = "content.json"
	bundleName  = "content.bundle"
	maxContent  = 64 << 20 // bytes of a content.json: 100,000 borders of a shallow clone are 4 MiB
)

// maxBeyond is how many commits more a content may have than what it builds on, before
// it is packed whole: git looks through all of them on both sides.
const maxBeyond = 5000

// putContent packs a content, unless it is there.
func (s *Spool) putContent(ctx context.Context, l worktrees.Lane, o worktrees.PackOptions) (key string, err error) {
	tree := o.Draft.Tree
	if len(o.Draft.Leaves) == 0 {
		o.Draft, tree = worktrees.Draft{}, ""
	}
	of := l.CommonDir + "\x00" + o.Commit + "\x00" + tree + "\x00" + o.Base.Name + "\x00" + o.Base.Commit
	sum := sha256.Sum256([]byte(of))
	key = fmt.Sprintf("%.12s-%s", o.Commit, hex.EncodeToString(sum[:8]))
	if s.content[of] != "" {
		return key, nil
	}
	if c, err := s.place.content(key); err == nil {
		s.touch(c, key)
		s.content[of] = key
		return key, nil
	}
	on := s.upon(ctx, l, o.Commit)
	c := Content{Repository: l.CommonDir, OnKey: on}
	for _, leaf := range o.Draft.Leaves {
		if leaf.Mode == submodule {
			return "", fmt.Errorf("submodule %s is at a commit that is not committed here: commit it first", leaf.Path)
		}
	}
	list, err := worktrees.Modules(ctx, l, o.Commit)
	if err == nil {
		c.Modules, err = s.putModules(ctx, nil, list)
	}
	if err != nil {
		return "", err
	}
	err = s.place.makeContent(key, func(dir string) error {
		o.File = filepath.Join(dir, bundleName)
		if on != "" {
			base, err := s.place.content(on)
			if err != nil {
				return err
			}
			o.On = base.Commit
		}
		if c.Packed, err = worktrees.Pack(ctx, l, o); err != nil {
			return err
		}
		return c.writeTo(dir)
	})
	if err != nil {
		return "", err
	}
	s.touch(c, key)
	s.content[of] = key
	return key, nil
}

const submodule = "160000" // git's mode of one

// putModules packs submodules, and those in them.
func (s *Spool) putModules(ctx context.Context, above []string, list []worktrees.Module) (out []Module, err error) {
	for _, m := range list {
		if m.Store == "" { // then the node says what it lacks, or fetches it
			s.note("submodule %s does not go along: no lane here has %.10s of it", m.Path, m.Commit)
			continue
		}
		key := fmt.Sprintf("%.12s-module-%s", m.Commit, hashOf(m.Store)[:16])
		if _, err := s.place.content(key); err != nil {
			err := s.place.makeContent(key, func(dir string) error {
				p, err := worktrees.PackModule(ctx, m, filepath.Join(dir, bundleName))
				if err != nil {
					return err
				}
				c := Content{Packed: p} // nothing builds on it
				return c.writeTo(dir)
			})
			if err != nil {
				return nil, err
			}
		}
		names := append(slices.Clone(above), m.Name)
		out = append(out, Module{Names: names, URL: m.URL, Key: key})
		inner, err := worktrees.ModulesIn(ctx, m)
		if err != nil {
			return nil, err
		}
		deeper, err := s.putModules(ctx, names, inner)
		if err != nil {
			return nil, err
		}
		out = append(out, deeper...)
	}
	return out, nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// upon is the whole content that a commit has the least upon; "" for none.
func (s *Spool) upon(ctx context.Context, l worktrees.Lane, commit string) (best string) {
	entries, _ := os.ReadDir(filepath.Join(s.place.dir, "contents"))
	least := maxBeyond + 1
	for _, e := range entries {
		c, err := s.place.content(e.Name())
		if err != nil || c.OnKey != "" || c.Repository != l.CommonDir {
			continue
		}
		if n, err := worktrees.Beyond(ctx, l, commit, c.Commit); err == nil && n < least {
			best, least = e.Name(), n
		}
	}
	if best != "" { // at once: somebody may be cleaning up
		s.touch(Content{}, best)
	}
	return best
}

// content reads one that is there whole.
func (p place) content(key string) (c Content, err error) {
	if !filepath.IsLocal(key) || filepath.Base(key) != key {
		return c, fmt.Errorf("%q is no key of a content", key)
	}
	data, err := p.read(filepath.Join(p.dir, "contents", key, contentName), maxContent)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return Content{}, fmt.Errorf("read content %s: %w", key, err)
	}
	return c, nil
}

// writeTo writes it beside its bundle.
func (c *Content) writeTo(dir string) (err error) {
	if !c.Empty {
		if c.SHA256, err = hashFile(filepath.Join(dir, bundleName)); err != nil {
			return err
		}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return writeExclusive(filepath.Join(dir, contentName), data)
}

// sound says whether the bundle of a content is the one that was packed.
func (p place) sound(c Content, key string) error {
	if c.Empty {
		return nil
	}
	f, err := p.open(filepath.Join(p.dir, "contents", key, bundleName))
	if err != nil {
		return err
	}
	defer f.Close()
	_, sum, err := measure(f)
	if err == nil && sum != c.SHA256 {
		err = fmt.Errorf("the bundle of content %s is not the one that was packed", key)
	}
	return err
}

func (p place) makeContent(key string, fill func(dir string) error) error {
	whole := func() bool {
		_, err := p.content(key)
		return err == nil
	}
	return p.makeDir(filepath.Join(p.dir, "contents", key), whole, fill)
}

// keys are those of a content, and of all that it needs.
func (c Content) keys(own string) (list []string) {
	list = append(list, own)
	if c.OnKey != "" {
		list = append(list, c.OnKey)
	}
	for _, m := range c.Modules {
		list = append(list, m.Key)
	}
	return list
}

// touch says that a content is needed still.
func (s *Spool) touch(c Content, key string) {
	now := time.Now()
	for _, k := range c.keys(key) {
		_ = os.Chtimes(filepath.Join(s.place.dir, "contents", k), now, now)
	}
}

// makeDir makes a directory appear with all that fill puts into it, on the disk, or not at
// all. Where somebody else has made a whole one meanwhile, his is as good.
func (p place) makeDir(path string, whole func() bool, fill func(dir string) error) error {
	part := filepath.Join(filepath.Dir(path), partName())
	if err := os.Mkdir(part, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(part) // nothing is there once it has its name
	err := fill(part)
	if err == nil {
		err = syncTree(part)
	}
	if err != nil {
		return err
	}
	if err = os.Rename(part, path); err != nil && !whole() { // in the way of it is what nobody can use
		if err = os.Rename(path, filepath.Join(filepath.Dir(path), partName())); err == nil {
			err = os.Rename(part, path)
		}
	}
	if err != nil && !whole() {
		return err
	}
	return gates.SyncDir(filepath.Dir(path))
}

// syncTree puts a directory on the disk with all that is in it.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return gates.SyncDir(path)
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
