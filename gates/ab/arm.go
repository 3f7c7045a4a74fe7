package ab

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/shell"
)

// Arm is one side of a comparison: where its tree comes from, and what is otherwise
// there.
type Arm struct {
	Name   string   `json:"name"`
	Commit string   `json:"commit,omitempty"` // a commit, a branch or a tag
	Lane   string   `json:"lane,omitempty"`   // a lane as it is; without both it is the lane we stand in
	Env    []string `json:"env,omitempty"`    // "k=v", of the gate's commands
	Args   []string `json:"args,omitempty"`   // appended to the last command of its run
	Edits  []Edit   `json:"edits,omitempty"`
}

// Edit is a text of a file in the workspace that is another one in this arm.
type Edit struct {
	File string `json:"file"` // from the directory of gpuci.toml
	From string `json:"from"` // it must stand there just once
	To   string `json:"to"`
}

// here is the word for the lane we stand in, uncommitted changes and all.
const here = "."

// kinds begin what an arm is made of; "." stands for itself.
var kinds = []string{"commit", "lane", "env", "args", "config"}

// next finds where one part of an arm ends and the next begins: values may have commas.
var next = regexp.MustCompile(`,(?:(?:` + strings.Join(kinds, "|") + `):|\.(?:,|$))`)

// nameForm is that of an arm's name: it becomes a word of tables and files.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`)

// maxArms bounds the scratch lanes that are there at a time, two of each with a build in it.
const maxArms = 16

// armUsage is what an arm looks like, for a hint.
const armUsage = `write NAME=. or NAME=commit:REF, NAME=lane:L, NAME=env:K=V, "NAME=args:--tile 32", "NAME=config:FILE:FROM=>TO"; several behind one another with a comma`

// ArmError says what is wrong with an arm as it is written.
type ArmError struct{ Why, Next string }

// SameError says that two arms are one.
type SameError struct{ ArmError }

// GoneError says that what an arm names is not there.
type GoneError struct{ ArmError }

// Unwrap gives it as any other error of an arm.
func (e *GoneError) Unwrap() error { return &e.ArmError }

// Unwrap gives it as any other error of an arm.
func (e *SameError) Unwrap() error { return &e.ArmError }

func (e *ArmError) Error() string { return e.Why }

func badArm(format string, args ...any) error {
	return &ArmError{fmt.Sprintf(format, args...), armUsage}
}

// ParseArms reads the arms of a command line, of which each may be written in several
// parts. The first is the base that the others are held against. The error is an
// *ArmError.
func ParseArms(texts []string) (arms []Arm, err error) {
	for _, text := range texts {
		name, spec, ok := strings.Cut(text, "=")
		if !ok || !nameForm.MatchString(name) {
			return nil, badArm("%q names no arm", text)
		}
		if spec == "" { // of a shell's variable that is empty
			return nil, badArm("%q says nothing of arm %s", text, name)
		}
		at := slices.IndexFunc(arms, func(a Arm) bool { return a.Name == name })
		if at < 0 {
			at, arms = len(arms), append(arms, Arm{Name: name})
		}
		if err := arms[at].add(spec); err != nil {
			return nil, err
		}
	}
	switch {
	case len(arms) < 2:
		return nil, badArm("two arms are compared, or more, and there is %s", [...]string{"none", "one"}[len(arms)])
	case len(arms) > maxArms:
		return nil, badArm("there are %d arms, and at most %d are compared", len(arms), maxArms)
	}
	return arms, nil
}

// RefArm is an arm of the short form: "." or a commit.
func RefArm(ref string) Arm {
	if ref == here {
		return Arm{Name: "here"}
	}
	return Arm{Name: ref, Commit: ref}
}

// add adds the parts of a text to an arm.
func (a *Arm) add(spec string) error {
	for spec != "" {
		part, rest := spec, ""
		if at := next.FindStringIndex(spec); at != nil {
			part, rest = spec[:at[0]], spec[at[0]+1:]
		}
		if err := a.addPart(part); err != nil {
			return err
		}
		spec = rest
	}
	return nil
}

func (a *Arm) addPart(part string) error {
	kind, value, ok := strings.Cut(part, ":")
	if part == here {
		kind, ok = here, true
	}
	switch {
	case !ok || value == "" && kind != here:
		return badArm("arm %s: %q says nothing of it", a.Name, part)
	case (kind == "commit" || kind == "lane" || kind == here) && a.Commit+a.Lane != "":
		return badArm("arm %s is of two trees: %s, and %s", a.Name, a.tree(), part)
	}
	switch kind {
	case here:
	case "commit":
		a.Commit = value
	case "lane":
		a.Lane = value
	case "env":
		if name, _, ok := strings.Cut(value, "="); !ok || name == "" {
			return badArm("arm %s: %q sets no variable", a.Name, part)
		} else if name == seedVar {
			return badArm("arm %s: %s is one number for all runs of a round, and gpuci's to set", a.Name, seedVar)
		}
		a.Env = append(a.Env, value)
	case "args":
		words, err := shell.Fields(value, func(string) string { return "" })
		if err != nil || len(words) == 0 {
			return badArm("arm %s: %q are no arguments", a.Name, value)
		}
		a.Args = append(a.Args, words...)
	case "config":
		return a.addEdit(value)
	default:
		return badArm("arm %s: %q is none of %s", a.Name, kind, strings.Join(kinds, ", "))
	}
	return nil
}

func (a *Arm) addEdit(value string) error {
	file, change, _ := strings.Cut(value, ":")
	from, to, ok := strings.Cut(change, "=>")
	if !ok || from == "" || from == to || !filepath.IsLocal(file) {
		return badArm("arm %s: %q is no FILE:FROM=>TO of a file in the workspace", a.Name, value)
	}
	a.Edits = append(a.Edits, Edit{filepath.Clean(file), from, to})
	return nil
}

// tree says which tree an arm is made of.
func (a Arm) tree() string {
	switch {
	case a.Commit != "":
		return "commit:" + a.Commit
	case a.Lane != "":
		return "lane:" + a.Lane
	}
	return here
}

// Spec is the arm as it could be written behind its name.
func (a Arm) Spec() string {
	parts := []string{a.tree()}
	for _, v := range a.Env {
		parts = append(parts, "env:"+v)
	}
	if len(a.Args) > 0 {
		parts = append(parts, "args:"+quoted(a.Args))
	}
	for _, e := range a.Edits {
		parts = append(parts, fmt.Sprintf("config:%s:%s=>%s", e.File, e.From, e.To))
	}
	if len(parts) > 1 && parts[0] == here {
		parts = parts[1:]
	}
	return strings.Join(parts, ",")
}

// quoted are arguments as a shell would read them back.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`&|;<>()*?[]#~{}!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
