package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// conversion is what git does to a file's content on its way into a commit.
type conversion int

const (
	lineEnds conversion = iota // at most the ends of lines: none without a carriage return
	never
	always // a filter, ident or an encoding
)

// askConversions asks which attributes (gitattributes(5)) the changed files
// have. Whether core.autocrlf is set is not asked: a file with a carriage
// return goes to git then, for nothing at worst.
func askConversions(ctx context.Context, l Lane, records []record) (map[string]conversion, error) {
	var paths []string
	for _, r := range records {
		if r.onDisk && r.workMode != absent && !r.submodule {
			paths = append(paths, r.path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := runGit(ctx, l, joinNUL(paths), "check-attr", "-z", "--stdin",
		"text", "crlf", "filter", "ident", "working-tree-encoding")
	if err != nil {
		return nil, err
	}
	return parseAttributes(splitNUL(out))
}

// parseAttributes reads `git check-attr -z`: path, attribute and value in turn.
func parseAttributes(fields []string) (map[string]conversion, error) {
	if len(fields)%3 != 0 {
		return nil, fmt.Errorf("read git check-attr: %d fields are not three for each attribute", len(fields))
	}
	found := make(map[string]conversion)
	for ; len(fields) > 0; fields = fields[3:] {
		path, name, value := fields[0], fields[1], fields[2]
		switch {
		case value == "unspecified":
		case name == "text" || name == "crlf": // crlf is what text was called once
			if value == "unset" {
				found[path] = max(found[path], never)
			}
		case value != "unset":
			found[path] = always
		}
	}
	return found, nil
}

// convertAndName has git take files in, into an index and an object store of
// their own in a temporary directory. `git hash-object` would not do: it knows
// no index, and text=auto leaves a file alone whose carriage returns are there
// already.
func convertAndName(ctx context.Context, l Lane, records []record) (map[string]string, error) {
	if len(records) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "gpuci-draft-")
	if err != nil {
		return nil, fmt.Errorf("make temporary index: %w", err)
	}
	defer os.RemoveAll(dir)
	env, err := standIn(dir, l)
	if err != nil {
		return nil, fmt.Errorf("make temporary index: %w", err)
	}
	var known, paths []string
	for _, r := range records {
		paths = append(paths, r.path)
		if r.mode != absent {
			known = append(known, fmt.Sprintf("%s %s 0\t%s", r.mode, r.id, r.path))
		}
	}
	git := func(stdin []byte, args ...string) ([]byte, error) {
		// An fsync takes seconds on a stalled disk, and all of this is thrown away.
		own := []string{"-c", "core.safecrlf=false", "-c", "core.fsync=none", "-c", "core.splitIndex=false", "-c", "core.untrackedCache=false"}
		return runGitWith(ctx, l, env, stdin, append(own, args...)...)
	}
	if _, err := git(joinNUL(known), "update-index", "-z", "--index-info"); err != nil {
		return nil, err
	}
	if _, err := git(joinNUL(paths), "update-index", "--add", "--replace", "-z", "--stdin"); err != nil {
		return nil, err
	}
	out, err := git(nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	return parseStages(splitNUL(out))
}

// standIn makes the object store, with the repository's behind it, and returns
// the environment that puts both in the place of the lane's own.
func standIn(dir string, l Lane) ([]string, error) {
	objects := filepath.Join(dir, "objects")
	if err := os.MkdirAll(filepath.Join(objects, "info"), 0o700); err != nil {
		return nil, err
	}
	behind := filepath.Join(l.CommonDir, "objects") + "\n"
	err := os.WriteFile(filepath.Join(objects, "info", "alternates"), []byte(behind), 0o600)
	return []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index"), "GIT_OBJECT_DIRECTORY=" + objects}, err
}

// parseStages reads `git ls-files -z --stage`: mode, id and stage, a tab, path.
func parseStages(lines []string) (map[string]string, error) {
	names := make(map[string]string, len(lines))
	for _, line := range lines {
		about, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 3 {
			return nil, fmt.Errorf("read git ls-files: entry %q is not mode, id, stage and path", line)
		}
		names[path] = fields[1]
	}
	return names, nil
}

// joinNUL ends every item in a NUL.
func joinNUL(items []string) []byte {
	if len(items) == 0 {
		return nil
	}
	return []byte(strings.Join(items, "\x00") + "\x00")
}
