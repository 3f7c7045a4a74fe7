package ci

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// ScratchDir is where the scratch lanes of a repository are: in the configured
// directory, else in gpuci/scratch of $XDG_CACHE_HOME or ~/.cache, which is on a
// disk and has room, as a temporary directory may not. Each repository has a
// directory of its own in it.
func ScratchDir(cfg *config.Config, lane worktrees.Lane) (string, error) {
	base := cfg.CI.Scratch
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find a place for scratch lanes: %w; name one by scratch in [ci] of your own configuration", err)
		}
		base = filepath.Join(cache, "gpuci", "scratch")
	}
	sum := sha256.Sum256([]byte(lane.CommonDir))
	return filepath.Join(base, repositoryName(lane)+"-"+hex.EncodeToString(sum[:6])), nil
}

// repositoryName is what people call it: the directory of its .git, or a bare
// repository without .git at the end of its name.
func repositoryName(lane worktrees.Lane) string {
	name := filepath.Base(lane.CommonDir)
	if name == ".git" || name == ".bare" {
		name = filepath.Base(filepath.Dir(lane.CommonDir))
	}
	return strings.TrimSuffix(name, ".git")
}
