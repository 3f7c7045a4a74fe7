package worktrees

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// record is one path that git status names, with what a commit of it needs.
type record struct {
	path      string // from the root, without the slash that ends a nested repository
	tracked   bool   // the index has it
	onDisk    bool   // what counts is on disk, not in the index
	mode, id  string // the index's; mode is absent where it has none
	workMode  string // on disk, as git keeps modes; absent where it is gone
	submodule bool
}

// readRecords asks git about the lane's changed paths, by name where the state
// names them all, and says which commit they are against.
func readRecords(ctx context.Context, l Lane, st State) (commit string, records []record, err error) {
	var names []string
	if st.Count == len(st.Paths) && st.Count <= maxAsked {
		names = st.Paths
	}
	h, records, err := askRecords(ctx, l, names)
	if err == nil && len(names) > 0 && h.commit != st.Commit {
		// A commit came between: the names are of the past.
		h, records, err = askRecords(ctx, l, nil)
	}
	if err != nil {
		return "", nil, err
	}
	unseen, err := hidden(ctx, l)
	return h.commit, revealed(records, unseen), err
}

// askRecords asks what readStatus asks.
func askRecords(ctx context.Context, l Lane, paths []string) (head, []record, error) {
	out, err := runGit(ctx, l, nil, statusArgs(paths)...)
	if err != nil {
		return head{}, nil, err
	}
	return parseRecords(string(out))
}

// parseRecords reads `git status --porcelain=v2 -z --branch` (git-status(1)).
// Each path is there once: of one that is staged as deleted and is on disk all
// the same, what is on disk counts.
func parseRecords(out string) (head, []record, error) {
	var h head
	var records []record
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "#" {
			h.parseHeader(rest)
			continue
		}
		r, ok := parseRecord(kind, rest)
		if !ok {
			return head{}, nil, fmt.Errorf("read git status: record %q is not of a known kind", line)
		}
		records = append(records, r)
	}
	slices.SortStableFunc(records, func(a, b record) int {
		switch {
		case a.path != b.path:
			return strings.Compare(a.path, b.path)
		case a.tracked == b.tracked:
			return 0
		case b.tracked:
			return -1
		}
		return 1
	})
	return h, slices.CompactFunc(records, func(a, b record) bool { return a.path == b.path }), nil
}

// parseRecord reads one record less its kind.
func parseRecord(kind, rest string) (record, bool) {
	fields := map[string]int{"?": 0, "1": 7, "u": 9}
	n, ok := fields[kind]
	parts := strings.SplitN(rest, " ", n+1)
	if !ok || len(parts) != n+1 || parts[n] == "" {
		return record{}, false
	}
	r := record{path: strings.TrimSuffix(parts[n], "/"), onDisk: true, mode: absent, tracked: n > 0}
	switch kind {
	case "1": // XY sub mH mI mW hH hI
		if len(parts[0]) != 2 {
			return record{}, false
		}
		r.onDisk = parts[0][1] != '.'
		r.mode, r.workMode, r.id = parts[3], parts[4], parts[6]
	case "u": // XY sub m1 m2 m3 mW h1 h2 h3: our side is what git add looks at
		r.mode, r.workMode, r.id = parts[3], parts[5], parts[7]
	}
	r.submodule = n > 0 && strings.HasPrefix(parts[1], "S")
	return r, true
}
