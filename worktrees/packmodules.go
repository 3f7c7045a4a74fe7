package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Module is a submodule of a content, in a repository on this machine.
type Module struct {
	Path   string // in the checkout that it is in
	Name   string // by which git keeps its repository
	URL    string
	Commit string
	Store  string // the repository; "" where none here has the commit
}

// Modules lists the submodules of a tree, and where they are to be had: in the lane, or in
// what its repository keeps of them. tree is any name that git has for one.
func Modules(ctx context.Context, l Lane, tree string) ([]Module, error) {
	return modulesOf(ctx, repository{store: l.CommonDir, checkout: l.Root}, tree)
}

// ModulesIn does the same for a submodule itself, of its repository.
func ModulesIn(ctx context.Context, m Module) ([]Module, error) {
	return modulesOf(ctx, repository{store: m.Store}, m.Commit)
}

// repository is one that submodules are looked for in.
type repository struct {
	store    string
	checkout string // "" for none
}

func (r repository) git(ctx context.Context, args ...string) ([]byte, error) {
	return outputOf(ctx, gitIn(ctx, r.store, storeEnv(r.store), append(quietOptions(), args...)...), nil, args[0])
}

func modulesOf(ctx context.Context, r repository, tree string) (list []Module, err error) {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, fmt.Errorf("list the submodules of %.10s: %w", tree, err)
	}
	for _, item := range splitNUL(out) {
		info, path, _ := strings.Cut(item, "\t")
		if f := strings.Fields(info); len(f) == 3 && f[0] == gitlink {
			list = append(list, Module{Path: path, Commit: f[2]})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	out, err = r.git(ctx, "config", "--blob="+tree+":.gitmodules", "-z", "--get-regexp", `^submodule\..*\.(path|url|update)$`)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	named := parseModules(string(out)) // where there is no such file, nobody knows what they are
	for i, m := range list {
		list[i].Name, list[i].URL = named[m.Path].name, named[m.Path].url
		list[i].Store = r.storeOf(ctx, list[i])
	}
	return slices.DeleteFunc(list, func(m Module) bool { return m.Name == "" }), nil
}

// storeOf is a repository that has the commit of a submodule.
func (r repository) storeOf(ctx context.Context, m Module) string {
	var stores []string
	if r.checkout != "" {
		if lane, err := laneAt(filepath.Join(r.checkout, m.Path)); err == nil {
			stores = append(stores, lane.CommonDir)
		}
	}
	if m.Name != "" {
		stores = append(stores, filepath.Join(r.store, "modules", m.Name))
	}
	for _, dir := range stores {
		if !isGitDir(dir) {
			continue
		}
		if _, err := (repository{store: dir}).git(ctx, "cat-file", "-e", m.Commit+"^{tree}"); err == nil {
			return dir
		}
	}
	return ""
}

// PackModule is Pack of a submodule.
func PackModule(ctx context.Context, m Module, file string) (Packed, error) {
	if m.Store == "" {
		return Packed{}, errors.New("pack submodule " + m.Path + ": " + errNowhere.Error())
	}
	p, err := packFrom(ctx, Lane{}, m.Store, PackOptions{Commit: m.Commit, File: file})
	if err != nil {
		return Packed{}, fmt.Errorf("pack submodule %s: %w", m.Path, err)
	}
	return p, nil
}
