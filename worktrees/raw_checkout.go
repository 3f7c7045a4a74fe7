package worktrees

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// checkOut has git check some entries out into a temporary directory, and gives
// the ids of what came, by path. Files of Git LFS are left out: their content may
// have to come through the network.
func checkOut(ctx context.Context, l Lane, entries []entry) (map[string]string, error) {
	var paths []string
	for _, e := range entries {
		paths = append(paths, string(e.path))
	}
	if len(paths) == 0 {
		return nil, nil
	}
	said, err := runGit(ctx, l, joinNUL(paths), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	for fields := splitNUL(said); len(fields) >= 3; fields = fields[3:] {
		if fields[2] == "lfs" {
			paths = slices.DeleteFunc(paths, func(p string) bool { return p == fields[0] })
		}
	}
	dir, err := os.MkdirTemp("", "gpuci-raw-")
	if err != nil {
		return nil, fmt.Errorf("make temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	if _, err := runGit(ctx, l, joinNUL(paths), "checkout-index", "-z", "--stdin", "--prefix="+dir+"/"); err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(paths))
	for _, path := range paths {
		leaf, err := RawLeaf(ctx, Lane{Root: dir}, path, hexSHA1)
		if err != nil {
			return nil, err
		}
		if !leaf.Gone() {
			ids[path] = leaf.ID
		}
	}
	return ids, nil
}
