package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bundled is a content that was packed, and the bundle of it; "" where it is empty.
type Bundled struct {
	Packed
	File string
}

// UnpackedModule is a submodule that comes along: where it was packed, in the order in
// which it is needed.
type UnpackedModule struct {
	Names []string // of the submodules that it is in, and its own
	URL   string
	Chain []Bundled
}

// Unpack makes a repository of its own at root, which is not there yet, of contents that
// build on each other: the last is the one that is meant. Its worktree is empty; a scratch
// lane of it has the files. It has the base branch that was packed, and no other.
func Unpack(ctx context.Context, root string, chain []Bundled) (Lane, error) {
	if len(chain) == 0 {
		return Lane{}, errors.New("unpack: there is nothing to unpack")
	}
	lane, err := unpack(ctx, root, chain)
	if err != nil {
		return Lane{}, fmt.Errorf("unpack %.10s: %w", chain[len(chain)-1].Commit, err)
	}
	return lane, nil
}

func unpack(ctx context.Context, root string, chain []Bundled) (Lane, error) {
	dir := filepath.Join(root, ".git")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return Lane{}, err
	}
	if err := unpackInto(ctx, dir, chain); err != nil {
		return Lane{}, err
	}
	last := chain[len(chain)-1]
	r := repository{store: dir}
	for _, s := range last.Settings {
		if _, err := r.git(ctx, "config", "--local", "--add", s[0], s[1]); err != nil {
			return Lane{}, err
		}
	}
	if _, err := r.git(ctx, "config", "--local", "--replace-all", "core.bare", "false"); err != nil {
		return Lane{}, err
	}
	for path, text := range map[string]string{"info/attributes": last.Attributes, "info/exclude": last.Exclude} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, "info"), 0o700); err != nil {
			return Lane{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			return Lane{}, err
		}
	}
	if err := r.setBase(ctx, last.Base); err != nil {
		return Lane{}, err
	}
	if _, err := r.git(ctx, "update-ref", "--no-deref", "HEAD", last.Commit); err != nil {
		return Lane{}, err
	}
	return laneAt(root)
}

// unpackInto makes a repository in a directory, with all objects of a chain.
func unpackInto(ctx context.Context, dir string, chain []Bundled) error {
	if err := initBare(ctx, dir, chain[0].Format); err != nil {
		return err
	}
	var shallow []string
	for _, b := range chain {
		shallow = append(shallow, b.Shallow...)
	}
	if slices.Sort(shallow); len(shallow) > 0 {
		text := strings.Join(slices.Compact(shallow), "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, "shallow"), []byte(text), 0o600); err != nil {
			return err
		}
	}
	r := repository{store: dir}
	for i, b := range chain {
		if !b.Empty {
			if _, err := r.git(ctx, "bundle", "unbundle", b.File); err != nil {
				return err
			}
		}
		keep := map[string]string{"commit": b.Commit, "draft": b.Draft, "base": b.Base.Commit}
		for name, id := range keep { // so that nothing of it is ever taken for garbage
			if id == "" {
				continue
			}
			if _, err := r.git(ctx, "update-ref", fmt.Sprintf("refs/gpuci/%d/%s", i, name), id); err != nil {
				return err
			}
		}
	}
	return nil
}

// setBase sets references so that BaseOf finds what it found where it was packed.
func (r repository) setBase(ctx context.Context, b Base) error {
	if b.Name == "" {
		return nil
	}
	short, remote := strings.CutPrefix(b.Name, "origin/")
	refs := []string{"refs/remotes/origin/" + short}
	if !remote {
		refs = append(refs, "refs/heads/"+short)
	}
	for _, ref := range refs {
		if _, err := r.git(ctx, "update-ref", ref, b.Commit); err != nil {
			return err
		}
	}
	_, err := r.git(ctx, "symbolic-ref", "refs/remotes/origin/HEAD", refs[0])
	return err
}

// UnpackModule puts a submodule where a scratch lane of an unpacked repository looks for it.
func UnpackModule(ctx context.Context, l Lane, m UnpackedModule) error {
	dir := l.CommonDir
	for _, name := range m.Names {
		if !safeName(name) {
			return fmt.Errorf("unpack submodule %q: its name would lead out of the repository", name)
		}
		dir = filepath.Join(dir, "modules", name)
	}
	err := os.MkdirAll(filepath.Dir(dir), 0o700)
	if err == nil {
		err = unpackInto(ctx, dir, m.Chain)
	}
	if err == nil && m.URL != "" {
		_, err = repository{store: dir}.git(ctx, "config", "remote.origin.url", m.URL)
	}
	if err != nil {
		return fmt.Errorf("unpack submodule %s: %w", strings.Join(m.Names, "/"), err)
	}
	return nil
}

// TakeDraft puts what is not committed into a scratch lane that is at the commit which a
// draft was packed upon: the files are the draft's then, and the commit is as it was.
func (s *Scratch) TakeDraft(ctx context.Context, draft string) error {
	head := readHead(ctx, s.Lane).commit
	_, err := s.place.git(ctx, s.Lane, nil, "read-tree", "-m", "-u", head, draft)
	if err == nil {
		_, err = s.place.git(ctx, s.Lane, nil, "reset", "--quiet", "--mixed")
	}
	if err != nil {
		return fmt.Errorf("take what is not committed upon %.10s: %w", head, err)
	}
	return nil
}
