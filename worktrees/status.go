package worktrees

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxAsked is how many candidates git is asked about by name. Git holds every
// path against every name, so beyond some dozens the whole tree is no slower;
// and a command line has an end.
const maxAsked = 64

// change is one path that git status names.
type change struct {
	path     string // from the root; a nested repository without the slash git ends it in
	headMode string // "000000" when HEAD has no such path
	headID   string // hex; "" when not said
}

// report is what git status says.
type report struct {
	head
	changes []change // by path, each once
}

// readStatus asks git about some paths, or about all when there are none or
// too many.
func readStatus(ctx context.Context, l Lane, paths []string) (report, error) {
	out, err := runGit(ctx, l, nil, statusArgs(paths)...)
	if err != nil {
		return report{}, err
	}
	return parseStatus(string(out))
}

// statusArgs ask about some paths, or about the whole lane where they are none
// or too many.
func statusArgs(paths []string) []string {
	args := []string{
		"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames",
		"--untracked-files=all", "--ignored=no", "--ignore-submodules=none", "--",
	}
	if len(paths) <= maxAsked {
		for _, path := range paths {
			args = append(args, ":(literal)"+path) // a name, never a pattern
		}
	}
	return args
}

// parseStatus reads `git status --porcelain=v2 -z --branch` (git-status(1)). A
// path that is both staged as deleted and untracked is one change.
func parseStatus(out string) (report, error) {
	var r report
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "#" {
			r.head.parseHeader(rest)
			continue
		}
		c, err := parseChange(kind, rest)
		if err != nil {
			return report{}, err
		}
		r.changes = append(r.changes, c)
	}
	// Stable: the tracked side of a pair comes first, and knows HEAD's.
	slices.SortStableFunc(r.changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	r.changes = slices.CompactFunc(r.changes, func(a, b change) bool { return a.path == b.path })
	return r, nil
}

// parseHeader takes commit and branch from a header line.
func (h *head) parseHeader(line string) {
	if commit, ok := strings.CutPrefix(line, "branch.oid "); ok && commit != "(initial)" {
		h.commit = commit
	}
	// No branch can have this name: git keeps parentheses for it here.
	if branch, ok := strings.CutPrefix(line, "branch.head "); ok && branch != "(detached)" {
		h.branch = branch
	}
}

// parseChange reads one record less its kind.
func parseChange(kind, rest string) (change, error) {
	fields := map[string]int{"?": 0, "1": 7, "u": 9}
	n, ok := fields[kind]
	parts := strings.SplitN(rest, " ", n+1)
	if !ok || len(parts) != n+1 || parts[n] == "" {
		return change{}, fmt.Errorf("read git status: record %q is not of a known kind", kind+" "+rest)
	}
	c := change{path: strings.TrimSuffix(parts[n], "/")}
	switch kind {
	case "?":
		c.headMode = absent
	case "1":
		c.headMode, c.headID = parts[2], parts[5]
	}
	return c, nil
}
