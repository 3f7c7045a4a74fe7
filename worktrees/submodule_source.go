package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// errNowhere is why a submodule cannot be taken, where nothing else went wrong.
var errNowhere = errors.New("no lane has that commit of it")

// module is what .gitmodules say of a submodule; zero where they say nothing.
type module struct {
	name, url, update string
}

// readModules reads a checkout's .gitmodules, by path.
func (s *Scratch) readModules(ctx context.Context, l Lane) (map[string]module, error) {
	from := "--file=" + filepath.Join(l.Root, ".gitmodules")
	if info, err := os.Lstat(filepath.Join(l.Root, ".gitmodules")); err != nil || !info.Mode().IsRegular() {
		from = "--blob=:.gitmodules" // left out by a sparse checkout
		if out, err := s.place.git(ctx, l, nil, "ls-files", "-z", "--", ":(top,literal).gitmodules"); err != nil || len(out) == 0 {
			return nil, err
		}
	}
	out, err := s.place.git(ctx, l, nil, "config", from, "-z", "--get-regexp", `^submodule\..*\.(path|url|update)$`)
	if err != nil && exitCode(err) != 1 { // 1: none
		return nil, err
	}
	return parseModules(string(out)), nil
}

// parseModules sorts what git config says of submodules by their paths. As git
// does it passes over a name that would lead out of the directory of modules.
func parseModules(out string) map[string]module {
	byName, paths := make(map[string]module), make(map[string]string)
	for key, value := range parseSettings(out) {
		rest, ok := strings.CutPrefix(key, "submodule.")
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 1 || !safeName(rest[:dot]) {
			continue
		}
		name := rest[:dot]
		m := byName[name]
		m.name = name
		switch rest[dot+1:] {
		case "path":
			paths[name] = value
		case "url":
			m.url = value
		case "update":
			m.update = value
		}
		byName[name] = m
	}
	all := make(map[string]module)
	for name, m := range byName {
		all[strings.TrimSuffix(paths[name], "/")] = m
	}
	return all
}

func safeName(name string) bool {
	return name != "." && filepath.IsLocal(name) && filepath.Clean(name) == name
}

// inner is where a submodule's own submodules may be. Its stores are also where
// it may be itself.
func (o origin) inner(path string, m module) origin {
	in := origin{prefix: o.at(path) + "/", parent: o.url, url: absoluteURL(o.url, m.url)}
	for _, root := range o.roots {
		if nested, err := laneAt(filepath.Join(root, path)); err == nil {
			in.roots = append(in.roots, nested.Root)
			in.stores = append(in.stores, nested.CommonDir)
		}
	}
	for _, store := range o.stores {
		if dir := filepath.Join(store, "modules", m.name); m.name != "" && isGitDir(dir) {
			in.stores = append(in.stores, realOf(dir))
		}
	}
	slices.Sort(in.stores[min(1, len(in.stores)):]) // the nearest stays the first
	in.stores = slices.Compact(in.stores)
	return in
}

// checkOut makes a submodule's checkout at a commit, of the first store that has
// it, or fetched.
func (s *Scratch) checkOut(ctx context.Context, into Lane, path, commit string, m module, in origin) (Lane, error) {
	fail := func(err error) (Lane, error) {
		return Lane{}, &SubmoduleError{strings.TrimSuffix(in.prefix, "/"), commit, err}
	}
	root := filepath.Join(into.Root, path)
	if lane, err := laneAt(root); err == nil && readHead(ctx, lane).commit == commit { // of a scratch lane that moves
		return lane, s.clean(ctx, lane, commit)
	}
	gitDir := ""
	if m.name != "" {
		gitDir = filepath.Join(into.GitDir, "modules", m.name)
	}
	if err := s.makeRoom(into, path, gitDir); err != nil {
		return fail(err)
	}
	for _, store := range in.stores {
		if s.storeHas(ctx, store, commit) {
			lane, err := s.clone(ctx, store, root, gitDir, commit)
			if err == nil {
				err = s.clean(ctx, lane, commit)
			}
			if err != nil {
				return fail(err)
			}
			return lane, nil
		}
	}
	if ctx.Err() != nil {
		return fail(ctx.Err())
	}
	lane, err := s.fetch(ctx, root, gitDir, commit, m, in)
	if err == nil {
		err = s.clean(ctx, lane, commit)
	}
	if err != nil {
		return fail(err)
	}
	return lane, nil
}

// makeRoom clears away what was at a submodule's place, as git left it or of an
// earlier commit.
func (s *Scratch) makeRoom(into Lane, path, gitDir string) error {
	root, err := os.OpenRoot(into.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(path); err != nil {
		return err
	}
	if err := root.MkdirAll(path, 0o755); err != nil {
		return err
	}
	if gitDir == "" {
		return nil
	}
	if err := os.RemoveAll(gitDir); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(gitDir), 0o755)
}

// storeHas says whether a repository has a commit, without asking any server.
func (s *Scratch) storeHas(ctx context.Context, store, commit string) bool {
	_, err := s.place.bare(ctx, store, storeEnv(store), "cat-file", "-e", commit+"^{tree}")
	return err == nil
}

// clone makes a checkout without files of a repository on this machine that has
// a commit. One that no reference leads to comes with the others.
func (s *Scratch) clone(ctx context.Context, store, root, gitDir, commit string) (Lane, error) {
	lane, err := s.cloneStore(ctx, store, root, gitDir)
	if err != nil || s.storeHas(ctx, lane.GitDir, commit) {
		return lane, err
	}
	// Of a shallow one git has taken what its references lead to alone.
	pack := "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack"
	_, err = s.place.git(ctx, lane, nil, "-c", "protocol.file.allow=always", "fetch", "--quiet", "--no-tags", "--update-shallow", pack, "--", store, commit)
	return lane, err
}

// cloneStore clones a repository on this machine: its objects become links to
// those where the file system can, and copies elsewhere.
func (s *Scratch) cloneStore(ctx context.Context, store, root, gitDir string) (Lane, error) {
	args := []string{"-c", "protocol.file.allow=always", "clone", "--quiet", "--local", "--no-checkout", "--template=", "--origin=origin"}
	if gitDir != "" {
		args = append(args, "--separate-git-dir="+gitDir)
	}
	if _, err := s.place.bare(ctx, filepath.Dir(root), nil, append(args, "--", store, root)...); err != nil {
		return Lane{}, err
	}
	lane, err := laneAt(root)
	if err != nil {
		return Lane{}, err
	}
	url, err := s.place.bare(ctx, store, storeEnv(store), "config", "--get", "remote.origin.url")
	if exitCode(err) == 1 {
		return lane, nil
	}
	if err == nil {
		_, err = s.place.git(ctx, lane, nil, "config", "remote.origin.url", strings.TrimSuffix(string(url), "\n"))
	}
	return lane, err
}

// storeEnv says that git is about a repository, wherever its configuration says
// that its files are: they may have gone.
func storeEnv(store string) []string {
	return []string{"GIT_DIR=" + store, "GIT_WORK_TREE=" + store, "GIT_NO_LAZY_FETCH=1"}
}
