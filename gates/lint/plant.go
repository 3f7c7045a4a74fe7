package lint

import (
	"context"
	"errors"
	"fmt"
	"gpuci/gates"
	"gpuci/gates/config"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	f.judge(v, e, exists(p.reached))
	return p.scratch.Restore(ctx)
}

func (f *Finding) judge(v gates.Verdict, e edit, reached bool) {
	f.Log = v.Log
	does, exit := "fails", "0"
	switch {
	case e.succeed:
		does = "succeeds"
	case e.once:
		does = "fails the first time"
	}
	if v.Command != nil && !ended(v, 0) {
		exit = fmt.Sprint(v.Command.Exit)
		if v.Command.Signal != "" {
			exit = v.Command.Signal
		}
	}
	switch {
	case ended(v, 0) && reached:
		f.State, f.Proof = Proven, fmt.Sprintf("with `%s` replaced by a command that %s, the commands of gate %s still end with 0", f.Command, does, v.Gate)
	case (v.Outcome == gates.Red || v.Outcome == gates.BuildFailed) && reached:
		f.State, f.Proof = Withdrawn, fmt.Sprintf("with `%s` replaced by a command that %s, they end with %s", f.Command, does, exit)
	case v.Outcome == gates.Green || v.Outcome == gates.Red || v.Outcome == gates.BuildFailed:
		f.Proof = fmt.Sprintf("gate %s never came to it", v.Gate)
	default:
		f.Proof = fmt.Sprintf("gate %s is %s with a command that %s in its place%s", v.Gate, v.Outcome, does, reason(v))
	}
}

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

func (p *prover) planted(e edit) string {
	does := "false"
	if e.succeed {
		does = "true"
	}
	if e.language == pythonCode {
		return fmt.Sprintf(`(open('%s', 'a').close(), __import__('subprocess').run(['%s']))`, p.reached, does)
	}
	if e.once {
		return fmt.Sprintf("if [ -e '%s' ]; then true; else : >>'%s'; %s; fi", p.reached, p.reached, does)
	}
	return fmt.Sprintf("{ : >>'%s'; %s; }", p.reached, does)
}

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
			c.Shell, err = replace(c.Shell, e, p.planted(e))
			return "", err
		}
		c.Argv = slices.Clone(c.Argv)
		c.Argv[e.arg], err = replace(c.Argv[e.arg], e, p.planted(e))
		return "", err
	}
	path = filepath.Join(p.sub, e.file)
	data, err := os.ReadFile(filepath.Join(p.scratch.Root, path))
	if err != nil {
		return "", fmt.Errorf("it is not in the scratch lane: does git ignore it? %w", err)
	}
	text, err := replace(string(data), e, p.planted(e))
	if err != nil {
		return "", err
	}
	return path, p.scratch.WriteFile(path, []byte(text))
}

func replace(text string, e edit, by string) (string, error) {
	if e.from < 0 || e.to > len(text) || e.from >= e.to {
		return "", errors.New("it is otherwise in the scratch lane: run it again when nobody writes there")
	}
	return text[:e.from] + by + text[e.to:], nil
}
