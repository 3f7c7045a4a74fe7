package worktrees

import (
	"context"
	"fmt"
	"strings"
)

// trackedPath is one path of an index.
type trackedPath struct {
	path, mode, id string
	skipped        bool // left out by a sparse checkout
}

// trackedAt lists what the scratch lane has at a commit. That is known before it
// is checked out, unless it is sparse.
func (s *Scratch) trackedAt(ctx context.Context, commit string) ([]trackedPath, error) {
	if s.early.commit == commit && !s.sparse() {
		return s.early.tracked, nil
	}
	return s.tracked(ctx, s.Lane)
}

// listEarly lists a commit's files.
func (s *Scratch) listEarly(ctx context.Context, commit string) error {
	out, err := s.place.git(ctx, s.from, nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	for _, line := range splitNUL(out) {
		about, path, ok := strings.Cut(line, "\t")
		mode, rest, ok2 := strings.Cut(about, " ")
		_, id, ok3 := strings.Cut(rest, " ")
		if !ok || !ok2 || !ok3 {
			return fmt.Errorf("read git ls-tree: entry %q is not mode, kind and id, a tab and a path", line)
		}
		s.early.tracked = append(s.early.tracked, trackedPath{path: path, mode: mode, id: id})
	}
	s.early.commit = commit
	return nil
}

// tracked lists a checkout's index.
func (s *Scratch) tracked(ctx context.Context, l Lane) ([]trackedPath, error) {
	out, err := s.place.git(ctx, l, nil, "ls-files", "-t", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	return parseTracked(splitNUL(out))
}

// parseTracked reads `git ls-files -t --stage -z`: a letter, mode, id and stage,
// a tab, path.
func parseTracked(lines []string) ([]trackedPath, error) {
	all := make([]trackedPath, 0, len(lines))
	for _, line := range lines {
		about, path, ok := strings.Cut(line, "\t")
		letter, rest, ok2 := strings.Cut(about, " ")
		mode, rest, ok3 := strings.Cut(rest, " ")
		id, _, ok4 := strings.Cut(rest, " ")
		if !ok || !ok2 || !ok3 || !ok4 {
			return nil, fmt.Errorf("read git ls-files: entry %q is not letter, mode, id and stage, a tab and a path", line)
		}
		all = append(all, trackedPath{path, mode, id, letter == "S"})
	}
	return all, nil
}

// linksOf are the submodules of an index, by path.
func linksOf(tracked []trackedPath) map[string]string {
	links := make(map[string]string)
	for _, t := range tracked {
		if t.mode == gitlink && !t.skipped {
			links[t.path] = t.id
		}
	}
	return links
}
