package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// plant replaces the command, runs the gate, and puts all back.
func (p *prover) plant(ctx context.Context, f *Finding, g config.Gate, e edit) error {
	path, err := p.apply(&g, e)
	if err != nil {
		f.Proof = err.Error()
		return nil
	}
	if err := os.Remove(p.reached); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if path != "" {
		if err := p.scratch.Settle(ctx, []string{path}); err != nil {
			return err
		}
	}
	v, err := p.trial(ctx, g, fmt.Sprintf("%s:%d", f.File, f.Line))
	if err != nil {
		return err
	}
	f.Log = v.Log
	f.State, f.Proof = f.judge(v, e, exists(p.reached))
	return p.scratch.Restore(ctx)
}

// judge says what a trial showed. One that ends with a failure shows that the status is
// not lost on this way.
func (f *Finding) judge(v gates.Verdict, e edit, reached bool) (State, string) {
	does, exit := "failing at its end", "0"
	switch {
	case e.succeed:
		does = "succeeding"
	case e.once:
		does = "failing at its end, the first time"
	}
	if v.Command != nil && !ended(v, 0) {
		exit = fmt.Sprint(v.Command.Exit)
		if v.Command.Signal != "" {
			exit = v.Command.Signal
		}
	}
	switch {
	case ended(v, 0) && reached:
		return Proven, fmt.Sprintf("with `%s` %s, the commands of gate %s still end with 0", f.Command, does, v.Gate)
	case !reached:
		return NotProven, fmt.Sprintf("gate %s never came to it", v.Gate)
	case v.Outcome == gates.Red && v.Command != nil:
		return Withdrawn, fmt.Sprintf("with `%s` %s, they end with %s", f.Command, does, exit)
	}
	return NotProven, fmt.Sprintf("gate %s is %s with `%s` %s%s", v.Gate, v.Outcome, f.Command, does, reason(v))
}

// ended says whether the commands all ended by themselves, with this status.
func ended(v gates.Verdict, exit int) bool {
	return (v.Outcome == gates.Green || v.Outcome == gates.Attention) && v.Command != nil && v.Command.Exit == exit
}

func reason(v gates.Verdict) string {
	if len(v.Findings) == 0 {
		return ""
	}
	return ": " + strings.ReplaceAll(v.Findings[0].Text, "\n", "; ")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// planted is what comes in the place of the command that was found: the same command,
// and then a failure. So its output and its products are what they always are, for
// whatever comes after it: a script that removes "$(./tmpdir)"/* removes what it always
// does. A file that is left says that it was run.
func (p *prover) planted(e edit, command string) (string, error) {
	status, at := "false", "'"+p.reached+"'"
	if e.succeed {
		status = "true"
	}
	switch {
	case e.language == pythonCode:
		check := ""
		if e.raise {
			check = ", check=True"
		}
		return fmt.Sprintf("(%s, open('%s', 'a').close(), __import__('subprocess').run(['%s']%s))[-1]", command, p.reached, status, check), nil
	case plainPath.MatchString(p.reached):
		at = p.reached
	case e.quoted, e.program:
		return "", fmt.Errorf("the directory of scratch lanes, %s, has signs in its name that would have to be quoted here: name another by scratch in [ci]", filepath.Dir(p.reached))
	}
	switch {
	case e.program && e.quoted: // there can be no quotes within quotes
		return "", errors.New("the command stands in single quotes, and nothing can be written in its place there")
	case e.program:
		return fmt.Sprintf(`sh -c '"$@"; : >>%s; %s' sh %s`, at, status, command), nil
	case e.once:
		return fmt.Sprintf("if [ -e %s ]; then %s; else { %s; : >>%s; %s; }; fi", at, command, command, at, status), nil
	}
	return fmt.Sprintf("{ %s; : >>%s; %s; }", command, at, status), nil
}

// plainPath is a path that means the same in a shell with quotes and without.
var plainPath = regexp.MustCompile(`^[\w/.+,@%:-]+$`)

// apply makes the edit: in the gate's own command, or in a file of the scratch lane,
// whose path it returns.
func (p *prover) apply(g *config.Gate, e edit) (path string, err error) {
	if e.file == "" {
		list := g.Run
		if e.build {
			list = g.Build
		}
		if e.command >= len(list) {
			return "", errors.New("the command is not there any more")
		}
		c := &list[e.command]
		if e.arg < 0 {
			c.Shell, err = p.replace(c.Shell, e)
			return "", err
		}
		c.Argv = slices.Clone(c.Argv)
		c.Argv[e.arg], err = p.replace(c.Argv[e.arg], e)
		return "", err
	}
	path = filepath.Join(p.sub, e.file)
	data, err := os.ReadFile(filepath.Join(p.scratch.Root, path))
	if err != nil {
		return "", fmt.Errorf("it is not in the scratch lane: does git ignore it? %w", err)
	}
	text, err := p.replace(string(data), e)
	if err != nil {
		return "", err
	}
	return path, p.scratch.WriteFile(path, []byte(text))
}

func (p *prover) replace(text string, e edit) (string, error) {
	if e.from < 0 || e.to > len(text) || e.from >= e.to {
		return "", errors.New("it is otherwise in the scratch lane: run it again when nobody writes there")
	}
	by, err := p.planted(e, text[e.from:e.to])
	if err != nil {
		return "", err
	}
	return text[:e.from] + by + text[e.to:], nil
}
