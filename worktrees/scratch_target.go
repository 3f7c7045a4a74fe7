package worktrees

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// chooseTarget settles where the scratch lane's build products go: where a real
// lane of the same files would put them, if that is inside of it and ignored;
// else to root/target, and beside the root where that is not ignored. What would
// lead elsewhere is overruled by Env: our environment, and the configurations
// that cargo reads in the root, above and below it and in CARGO_HOME.
//
// Only --target-dir of a command itself goes before that.
func (s *Scratch) chooseTarget(ctx context.Context) error {
	said, err := s.saidTargets(), error(nil)
	target, inside := filepath.Join(s.Root, "target"), true
	if said.first != "" {
		target = said.first
		inside = !strings.Contains(target, "{") && within(s.Root, target) && target != s.Root
	}
	ok := inside
	if inside {
		ok, err = s.ownAndIgnored(ctx, target)
	}
	if plain := filepath.Join(s.Root, "target"); err == nil && !ok && target != plain {
		target = plain
		ok, err = s.ownAndIgnored(ctx, target)
		inside = false
	}
	if err != nil {
		return err
	}
	if !ok {
		target, inside = s.place.beside(), false
	}
	s.Target, s.Env = target, nil
	if !inside || said.below {
		s.Env = append(s.Env, "CARGO_TARGET_DIR="+target)
	}
	if said.buildDir {
		s.Env = append(s.Env, "CARGO_BUILD_BUILD_DIR="+target)
	}
	return nil
}

// ownAndIgnored says whether a directory inside the root is the scratch lane's
// own, no link leading out of it, and left out by git.
func (s *Scratch) ownAndIgnored(ctx context.Context, dir string) (bool, error) {
	if realOf(dir) != dir {
		return false, nil
	}
	rel, err := filepath.Rel(s.Root, dir)
	if err != nil {
		return false, err
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return false, nil
	}
	// The directory need not be there, and a rule may be for directories alone,
	// or for what is in it: so a file of cargo's in it is asked about.
	ignored, err := Ignored(ctx, s.Lane, []string{rel + "/.rustc_info.json"})
	return len(ignored) > 0, err
}

// saidTargets is what the environment and cargo's configurations say.
type saidTargets struct {
	first    string // the strongest word on the target directory, absolute; "" for none
	below    bool   // a directory below the root says something of its own
	buildDir bool   // some say where intermediate products go
}

func (s *Scratch) saidTargets() (said saidTargets) {
	if env := cmp.Or(os.Getenv("CARGO_TARGET_DIR"), os.Getenv("CARGO_BUILD_TARGET_DIR")); env != "" {
		said.first = absoluteIn(s.Root, env)
	}
	said.buildDir = os.Getenv("CARGO_BUILD_BUILD_DIR") != ""
	home := cmp.Or(os.Getenv("CARGO_HOME"), filepath.Join(os.Getenv("HOME"), ".cargo"))
	dirs := []string{filepath.Join(s.Root, ".cargo")}
	for up := filepath.Dir(s.Root); ; up = filepath.Dir(up) {
		if dirs = append(dirs, filepath.Join(up, ".cargo")); up == filepath.Dir(up) {
			break
		}
	}
	for _, dir := range append(dirs, home) {
		target, build := cargoDirs(dir)
		said.first, said.buildDir = cmp.Or(said.first, target), said.buildDir || build
	}
	for _, path := range s.cargo {
		if dir := filepath.Dir(path); dir != ".cargo" {
			target, build := cargoDirs(filepath.Join(s.Root, dir))
			said.below, said.buildDir = said.below || target != "", said.buildDir || build
		}
	}
	return said
}

// noteCargo keeps which cargo configurations a checkout has.
func (s *Scratch) noteCargo(tracked []trackedPath, prefix string) {
	for _, t := range tracked {
		if dir, name := path.Split(t.path); (name == "config.toml" || name == "config") && path.Base(dir) == ".cargo" {
			s.cargo = append(s.cargo, prefix+t.path)
		}
	}
}

// cargoDirs reads the target directory of a .cargo directory's configuration,
// and whether it has one for intermediate products. A relative one counts from
// the directory that .cargo is in. Of the two names cargo takes the older.
func cargoDirs(dir string) (target string, build bool) {
	for _, name := range []string{"config", "config.toml"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		var config struct {
			Build struct {
				TargetDir string `toml:"target-dir"`
				BuildDir  string `toml:"build-dir"`
			} `toml:"build"`
		}
		if toml.Unmarshal(data, &config) != nil {
			return "", false
		}
		if config.Build.TargetDir != "" {
			target = absoluteIn(filepath.Dir(dir), config.Build.TargetDir)
		}
		return target, config.Build.BuildDir != ""
	}
	return "", false
}

func absoluteIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
