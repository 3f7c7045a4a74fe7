package worktrees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hunk is one of a patch, as its first line and its context say where it was made.
type hunk struct {
	old, new int      // lines there, and in its place
	heading  string   // of the function that git found above it; "" for none
	context  []string // lines before the first that changes
}

// hunksOf reads the hunks of a patch that git reads, file by file. A line of a hunk
// that looks like the head of a file is one of a hunk, which its counts say.
func hunksOf(patch []byte) (files [][]hunk) {
	old, new, begun := 0, 0, false // lines that are to come, and whether a diff --git line was the last head
	for line := range strings.Lines(string(patch)) {
		line = strings.TrimRight(line, "\r\n")
		if old > 0 || new > 0 {
			file := files[len(files)-1]
			h := &file[len(file)-1]
			switch {
			case strings.HasPrefix(line, "-"):
				old--
			case strings.HasPrefix(line, "+"):
				new--
			case strings.HasPrefix(line, `\`):
				continue
			default:
				old, new = old-1, new-1
			}
			if changes := strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+"); !changes && old == h.old-len(h.context)-1 && new == h.new-len(h.context)-1 {
				h.context = append(h.context, strings.TrimPrefix(line, " "))
			}
			continue
		}
		m := hunkHead.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "diff --git "):
			files, begun = append(files, nil), true
		case strings.HasPrefix(line, "--- ") && !begun:
			files = append(files, nil)
		case strings.HasPrefix(line, "--- "):
			begun = false
		case m != nil && len(files) > 0:
			h := hunk{old: linesSaid(m[1]), new: linesSaid(m[2]), heading: strings.TrimSpace(m[3])}
			old, new = h.old, h.new
			files[len(files)-1] = append(files[len(files)-1], h)
		}
	}
	return files
}

var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@(.*)$`)

// linesSaid is how many lines a hunk says it has: one where it says nothing.
func linesSaid(digits string) int {
	if digits == "" {
		return 1
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxPatch {
		return 0
	}
	return n
}

// Git says so of hunks that it applies elsewhere than the patch has them, after the
// name of their file.
var (
	checking = regexp.MustCompile(`(?m)^Checking patch .*$|^Hunk #(\d+) succeeded at (\d+) \(offset (-?\d+) lines?\)\.$`)
)

// places says where git would apply the hunks of a patch to files: moved are those
// that do not go where the patch has them. The error wraps ErrNotApply where the patch
// does not fit, and where one of them would go into another function than it was made
// in: a loop that stands twice is not the same loop.
func places(ctx context.Context, l Lane, patch []byte, files []string) (moved []string, err error) {
	cmd := gitCommand(ctx, l, nil, append(applyOptions(), "--check", "--verbose", "-")...)
	cmd.Stdin = bytes.NewReader(patch)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run git apply: %w", ctx.Err())
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return nil, fmt.Errorf("%w: %s", ErrNotApply, clipped(refusals(said.String())))
	case err != nil:
		return nil, fmt.Errorf("run git apply: %w", err)
	}
	hunks := hunksOf(patch)
	file := -1
	for _, m := range checking.FindAllStringSubmatch(said.String(), -1) {
		if m[1] == "" {
			file++
			continue
		}
		n, at, by := number(m[1]), number(m[2]), number(m[3])
		name := "it"
		if file >= 0 && file < len(files) {
			name = files[file]
		}
		moved = append(moved, fmt.Sprintf("hunk %d of %s goes %s", n, name, lines(by)))
		if len(hunks) != len(files) || file < 0 || file >= len(files) || n < 1 || n > len(hunks[file]) {
			continue // git reads it otherwise than we do: then the lines have to say enough
		}
		for _, h := range hunks[file][:n-1] {
			at -= h.new - h.old
		}
		if where := elsewhere(filepath.Join(l.Root, name), hunks[file][n-1], at); where != "" {
			return moved, fmt.Errorf("%w: hunk %d of %s was made in %q, and what it changes now stands %s, %s", ErrNotApply, n, name, hunks[file][n-1].heading, lines(by), where)
		}
	}
	return moved, nil
}

// refusals are what git says but for what it looks at.
func refusals(said string) string { return checking.ReplaceAllString(said, "") }

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func lines(by int) string {
	unit, way := "lines", "further down"
	if by < 0 {
		by, way = -by, "further up"
	}
	if by == 1 {
		unit = "line"
	}
	return fmt.Sprintf("%d %s %s", by, unit, way)
}

// elsewhere says in which other function than its own a hunk would change a file, at a
// line that counts from 1: "" where it is its own, or where nobody can tell.
//
// Git's heading is the nearest line above that looks like the beginning of one, by
// rules for each language that it keeps to itself; by default, whatever begins with a
// letter. So lines count that stand where the hunk's own heading stands in the file:
// at the margin, or else those that begin with the same word.
func elsewhere(path string, h hunk, at int) string {
	if !opens(h.heading) {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	list := strings.Split(string(data), "\n")
	margin := slices.ContainsFunc(list, func(line string) bool { return strings.HasPrefix(line, h.heading) })
	word, _, _ := strings.Cut(h.heading, " ")
	begins := func(line string) bool {
		if atMargin(line) && opens(line) {
			return true
		}
		first, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
		return !margin && first == word
	}
	if slices.ContainsFunc(h.context, begins) {
		return "" // which is the same letter for letter
	}
	for i := min(at-2, len(list)-1); i >= 0; i-- {
		if line := strings.TrimSpace(list[i]); begins(list[i]) {
			if strings.HasPrefix(line, h.heading) {
				return ""
			}
			return fmt.Sprintf("in %q", clipText(line))
		}
	}
	return "where nothing of the kind stands above it"
}

// atMargin says whether a line begins as git has a heading begin.
func atMargin(line string) bool {
	return line != "" && (line[0] == '_' || line[0] == '$' || 'a' <= line[0]|0x20 && line[0]|0x20 <= 'z')
}

// opens says whether a line looks like the beginning of a function, a type or a module,
// and not like an import or a declaration: these come and go above code that stays
// what it is.
func opens(line string) bool {
	line = strings.TrimSpace(line)
	return strings.Contains(line, "(") || strings.HasSuffix(line, "{") || strings.HasSuffix(line, ":")
}
