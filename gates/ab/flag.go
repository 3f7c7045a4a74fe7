package ab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// A flag is what makes an arm the default, as a text:
//
//	config:FILE:PATTERN   where the regular expression matches in FILE, from where gpuci.toml is
//	edit:FILE:FROM=>TO    where FILE has the text TO, and FROM no more
//	env:K=V               where [gate.env] sets the variable so
//	arg:WORD              where the last command of the gate's run has the word
//	commit:ID             where the base branch has the commit, or its changes replayed
//
// Those of an arm are told by what it is made of, unless its decision names one.

// CheckFlag says what is wrong with a flag as it is written.
func CheckFlag(text string) error {
	kind, value, _ := strings.Cut(text, ":")
	bad := func(why string) error {
		return &ArmError{fmt.Sprintf("flag %q %s", text, why), "write config:FILE:PATTERN, env:K=V or arg:WORD"}
	}
	switch kind {
	case "config":
		file, pattern, ok := strings.Cut(value, ":")
		if !ok || pattern == "" || !filepath.IsLocal(file) {
			return bad("names no file in the workspace and a pattern")
		}
		if _, err := regexp.Compile(pattern); err != nil {
			return bad("has no pattern: " + err.Error())
		}
	case "edit":
		var a Arm
		if err := a.addEdit(value); err != nil {
			return bad("edits nothing")
		}
	case "env":
		if name, _, ok := strings.Cut(value, "="); !ok || name == "" {
			return bad("sets no variable")
		}
	case "arg", "commit":
		if value == "" {
			return bad("says nothing")
		}
	default:
		return bad("is of no kind that is known")
	}
	return nil
}

// FlagsOf are the flags of an arm, by what it is made of. A text that stands in the one
// it took the place of is no sign of the edit: the flag has both.
func FlagsOf(a ArmSum) (out []string) {
	for _, e := range a.Edits {
		if strings.Contains(e.From, e.To) {
			out = append(out, "edit:"+e.File+":"+e.From+"=>"+e.To)
		} else {
			out = append(out, "config:"+e.File+":"+regexp.QuoteMeta(e.To))
		}
	}
	for _, v := range a.Env {
		out = append(out, "env:"+v)
	}
	for _, w := range a.Args {
		out = append(out, "arg:"+w)
	}
	if (len(out) == 0 || a.Commit+a.Lane != "") && a.At != "" {
		out = append(out, "commit:"+a.At)
	}
	return out
}

// On says whether a flag is on in a lane as it is on disk; root is the directory of
// gpuci.toml in it. known is false where that cannot be told, and why says so.
func On(ctx context.Context, lane worktrees.Lane, root, base string, g config.Gate, flag string) (on, known bool, why string) {
	kind, value, _ := strings.Cut(flag, ":")
	switch kind {
	case "config":
		file, pattern, _ := strings.Cut(value, ":")
		return matches(filepath.Join(root, file), pattern)
	case "edit":
		var a Arm
		if err := a.addEdit(value); err != nil {
			return false, false, err.Error()
		}
		return edited(root, a.Edits[0])
	case "env":
		name, want, _ := strings.Cut(value, "=")
		return g.Env[name] == want, true, ""
	case "arg":
		last := g.Run[len(g.Run)-1]
		return slices.Contains(append(strings.Fields(last.Shell), last.Argv...), value), true, ""
	case "commit":
		b, err := worktrees.BaseOf(ctx, lane, base)
		if err == nil {
			on, err = worktrees.Landed(ctx, lane, b.Commit, value)
		}
		if err != nil {
			return false, false, err.Error()
		}
		return on, true, ""
	}
	return false, false, "it is of no kind that this gpuci knows"
}

// matches says whether a pattern is in a file. One that is not there has nothing.
func matches(path, pattern string) (on, known bool, why string) {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return false, false, err.Error()
	}
	data, why := textOf(path)
	return re.MatchString(data), why == "", why
}

// edited says whether an edit stands in its file. One that is not there has none.
func edited(root string, e Edit) (on, known bool, why string) {
	data, why := textOf(filepath.Join(root, e.File))
	gone := strings.Contains(e.To, e.From) || !strings.Contains(data, e.From)
	return data != "" && gone && strings.Contains(data, e.To), why == "", why
}

// textOf is what is in a file, nothing of one that is not there; why it cannot be read.
func textOf(path string) (text, why string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", ""
	case err != nil:
		return "", err.Error()
	case !info.Mode().IsRegular() || info.Size() > maxEdited:
		return "", "it is no file to be read"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err.Error()
	}
	return string(data), ""
}
