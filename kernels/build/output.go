package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/kernels/cache"
)

// write puts an output in place, whole or not at all; one that has these bytes is
// left as it is, with its time, so that nothing that depends on it is made again.
// It is a copy: a link into the cache would let whoever writes to an output in
// place spoil it for all.
func (b *builder) write(ctx context.Context, path string, data []byte) error {
	sum, err := b.tree.sum(path)
	if err == nil && sum == cache.SumOf(data) {
		return nil
	}
	if why := occupied(path); why != "" {
		return fmt.Errorf("write the output %s: it %s", path, why)
	}
	if err := b.untracked(ctx, path); err != nil {
		return fmt.Errorf("write the output %s: %w", path, err)
	}
	defer b.tree.forget(path)
	dir, name := filepath.Split(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("write the output %s: %w", path, err)
	}
	aside(dir, name)
	f, err := os.CreateTemp(dir, "."+name+".gpuci-*")
	if err != nil {
		return fmt.Errorf("write the output %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write the output %s: %w", path, err)
	}
	return nil
}

// untracked refuses a file that is there and under version control, by its own path or by
// where links lead it: git knows nothing behind a link.
func (b *builder) untracked(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	for i, name := range []string{path, resolved(path)} {
		if i > 0 && name == path {
			break
		}
		tracked, err := b.o.Tracked(ctx, b.set.Root, []string{name})
		if err != nil {
			return fmt.Errorf("find out whether git tracks it: %w", err)
		}
		if len(tracked) > 0 {
			return errors.New("git tracks it, and it is not what would be made: name another output, or take it out of git (git rm --cached)")
		}
	}
	return nil
}

// abandoned is how old a half-written file must be to be taken for a killed
// build's: writing one takes no time.
const abandoned = 10 * time.Minute

// aside removes what killed builds left beside an output.
func aside(dir, name string) {
	left, _ := filepath.Glob(filepath.Join(dir, "."+name+".gpuci-*")) // a name with a bracket finds none
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(path)
		}
	}
}
