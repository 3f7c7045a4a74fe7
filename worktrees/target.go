package worktrees

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// targetDir is where cargo puts what it builds in the worktree at root: what
// CARGO_TARGET_DIR or CARGO_BUILD_TARGET_DIR says in our own environment, if
// the worktree is the one we stand in; else build.target-dir in the root's
// .cargo/config or .cargo/config.toml; else root/target.
//
// What it does not see: --target-dir of a single command, the environment of
// other people's shells, a config above the root or in CARGO_HOME, one that is
// included, build.build-dir, and a package with its own workspace below the
// root. A value that cargo would fill in ("{workspace-path-hash}") or that
// cannot be read counts as not said.
func targetDir(root string, here bool) string {
	said := ""
	if here {
		said = cmp.Or(os.Getenv("CARGO_TARGET_DIR"), os.Getenv("CARGO_BUILD_TARGET_DIR"))
	}
	// Of the two names cargo takes the older one, where both are there.
	for _, name := range []string{"config", "config.toml"} {
		if said == "" {
			said = configuredTarget(filepath.Join(root, ".cargo", name))
		}
	}
	switch {
	case said == "" || strings.Contains(said, "{"):
		return filepath.Join(root, "target")
	case filepath.IsAbs(said):
		return filepath.Clean(said)
	}
	return filepath.Join(root, said)
}

// configuredTarget reads build.target-dir of a cargo configuration. A relative
// one counts from the directory that .cargo is in.
func configuredTarget(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var config struct {
		Build struct {
			TargetDir string `toml:"target-dir"`
		} `toml:"build"`
	}
	if err := toml.Unmarshal(data, &config); err != nil {
		return ""
	}
	return config.Build.TargetDir
}
