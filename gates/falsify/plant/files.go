package plant

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Files are the SHA-256, in hex, of the files that the faults of a gate have of
// their own: their patches, and what of their commands is a file of the workspace.
// One that cannot be read has none.
func Files(root string, g config.Gate) map[string]string {
	out := make(map[string]string)
	add := func(name string) {
		if data, err := read(root, name, maxFile); err == nil {
			sum := sha256.Sum256(data)
			out[path.Clean(filepath.ToSlash(name))] = hex.EncodeToString(sum[:])
		}
	}
	for _, f := range g.Faults {
		if f.Patch != "" {
			add(f.Patch)
		}
		for _, c := range f.Command {
			words := c.Argv
			if c.Shell != "" {
				words = strings.Fields(c.Shell)
			}
			for _, w := range words {
				if at := filepath.Join(g.Dir, w); filepath.IsLocal(w) && filepath.IsLocal(at) {
					add(at)
				}
			}
		}
	}
	return out
}

// Touched are the paths, from the lane's root, that the patches and the replacements of
// a gate's faults change. Of a patch that cannot be read there are none.
func Touched(ctx context.Context, lane worktrees.Lane, root string, g config.Gate) (paths []string) {
	for _, f := range g.Faults {
		if f.Replace != nil {
			if rel, err := filepath.Rel(lane.Root, filepath.Join(root, f.Replace.File)); err == nil {
				paths = append(paths, filepath.ToSlash(rel))
			}
		}
		if data, err := readPatch(root, f); f.Patch != "" && err == nil {
			in, _ := worktrees.PatchPaths(ctx, lane, data)
			paths = append(paths, in...)
		}
	}
	return paths
}
