package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// fetch makes a submodule's checkout without files from where it is published,
// in the time that is given for it. What a store here has of it is not fetched
// again.
func (s *Scratch) fetch(ctx context.Context, root, gitDir, commit string, m module, in origin) (Lane, error) {
	url := cmp.Or(s.settings["submodule."+m.name+".url"], absoluteURL(in.parent, m.url))
	switch {
	case s.options.Fetch <= 0:
		return Lane{}, fmt.Errorf("%w, and nothing may be fetched", errNowhere)
	case url == "":
		return Lane{}, fmt.Errorf("%w, and .gitmodules do not say where it is", errNowhere)
	}
	s.options.Note(fmt.Sprintf("fetching submodule %s from %s", strings.TrimSuffix(in.prefix, "/"), url))
	limited, cancel := context.WithTimeout(ctx, s.options.Fetch)
	defer cancel()
	lane, err := s.fetchFrom(limited, url, root, gitDir, commit, in.stores)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("not within %v", s.options.Fetch)
	}
	if err != nil && ctx.Err() == nil {
		return Lane{}, fmt.Errorf("%w, and fetching it from %s: %w", errNowhere, url, err)
	}
	return lane, err
}

func (s *Scratch) fetchFrom(ctx context.Context, url, root, gitDir, commit string, stores []string) (Lane, error) {
	lane, err := s.start(ctx, root, gitDir, stores)
	if err != nil {
		return Lane{}, err
	}
	if _, err := s.place.git(ctx, lane, nil, "config", "remote.origin.url", url); err != nil {
		return Lane{}, err
	}
	// As git submodule does: all branches first, the commit alone where none of
	// them leads to it. A transport that only the user may ask for is not for
	// what a .gitmodules file names.
	for _, what := range []string{"+refs/heads/*:refs/remotes/origin/*", commit} {
		_, err = s.place.gitWith(ctx, lane, []string{"GIT_PROTOCOL_FROM_USER=0"}, nil, "fetch", "--quiet", "--", url, what)
		if s.storeHas(ctx, lane.GitDir, commit) {
			return lane, nil
		}
	}
	if err == nil {
		err = errors.New("it has no such commit")
	}
	return Lane{}, err
}

// start makes a repository with what is here of it.
func (s *Scratch) start(ctx context.Context, root, gitDir string, stores []string) (Lane, error) {
	if len(stores) > 0 {
		return s.cloneStore(ctx, stores[0], root, gitDir)
	}
	args := []string{"init", "--quiet", "--template="}
	if gitDir != "" {
		args = append(args, "--separate-git-dir="+gitDir)
	}
	if _, err := s.place.bare(ctx, root, nil, append(args, "--", root)...); err != nil {
		return Lane{}, err
	}
	return laneAt(root)
}

// absoluteURL takes a submodule's URL that begins with ./ or ../ from its
// superproject's, as gitmodules(5) has it.
func absoluteURL(parent, url string) string {
	if !strings.HasPrefix(url, "./") && !strings.HasPrefix(url, "../") {
		return url
	}
	parent = strings.TrimSuffix(parent, "/")
	for {
		if rest, ok := strings.CutPrefix(url, "./"); ok {
			url = rest
			continue
		}
		rest, ok := strings.CutPrefix(url, "../")
		if !ok {
			break
		}
		url = rest
		cut := strings.LastIndexByte(parent, '/')
		if colon := strings.LastIndexByte(parent, ':'); cut < 0 && colon >= 0 { // host:repository
			return parent[:colon+1] + path.Clean(url)
		}
		if cut < 0 {
			return path.Clean(url)
		}
		parent = parent[:cut]
	}
	return parent + "/" + strings.TrimSuffix(url, "/")
}
