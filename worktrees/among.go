package worktrees

import (
	"context"
	"fmt"
	"strings"
)

// Among says which of some commits are in the history that ends at tip, by two
// calls of git however many they are. Those that the repository has not are in
// none, as with Contains.
func Among(ctx context.Context, l Lane, tip string, commits []string) (map[string]bool, error) {
	on := make(map[string]bool)
	asked := make(map[string]bool)
	var input strings.Builder
	for _, c := range commits {
		if c != "" && !asked[c] && strings.Trim(c, "0123456789abcdef") == "" { // an id, and no option
			asked[c] = true
			input.WriteString(c + "^{commit}\n")
		}
	}
	if tip == "" || len(asked) == 0 {
		return on, nil
	}
	there, err := runGit(ctx, l, []byte(input.String()), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, fmt.Errorf("look for %d commits: %w", len(asked), err)
	}
	input.Reset()
	for line := range strings.Lines(string(there)) {
		if id := strings.TrimSpace(line); asked[id] { // else "ID missing"
			on[id] = true
			input.WriteString(id + "\n")
		}
	}
	// What can be reached from them and not from tip: themselves, if tip has them not.
	beyond, err := runGit(ctx, l, []byte(input.String()+"^"+tip+"\n"), "rev-list", "--stdin")
	if err != nil {
		return nil, fmt.Errorf("ask which of %d commits are in the history of %.10s: %w", len(asked), tip, err)
	}
	for line := range strings.Lines(string(beyond)) {
		delete(on, strings.TrimSpace(line))
	}
	return on, nil
}

// Holds says whether a commit has something at a path, which counts from the
// lane's root; "" is the commit of an unborn branch.
func Holds(ctx context.Context, l Lane, commit, path string) (bool, error) {
	if commit == "" {
		return false, nil
	}
	out, err := runGit(ctx, l, nil, "ls-tree", "-z", "--name-only", commit, "--", path)
	if err != nil {
		return false, fmt.Errorf("look for %s in commit %.10s: %w", path, commit, err)
	}
	return len(out) > 0, nil
}

// IsLink says whether a commit has a symbolic link at a path.
func IsLink(ctx context.Context, l Lane, commit, path string) (bool, error) {
	mode, err := modeAt(ctx, l, commit, path)
	if err != nil {
		return false, fmt.Errorf("look for %s in commit %.10s: %w", path, commit, err)
	}
	return mode == modeLink, nil
}
