package lint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// plant is what a planted command does behind what it always does.
type plant int

const (
	fails   plant = iota
	tells         // it fails with a status of its own
	neutral       // nothing: the edit alone is tried
)

// ownStatus is one that commands rarely end with: a gate that ends with it has it from the
// planted command.
const ownStatus = 113

// planted is what comes in the place of the command that was found: the same command,
// and then a failure. So its output and its products are what they always are, for
// whatever comes after it: a script that removes "$(./tmpdir)"/* removes what it always
// does. A file that is left says that it was run.
func (p *prover) planted(e edit, command string, how plant) (string, error) {
	status, at := "false", "'"+p.reached+"'"
	switch {
	case e.succeed:
		status = "true"
	case how == tells:
		status = fmt.Sprintf("(exit %d)", ownStatus)
	}
	switch {
	case e.language == pythonCode:
		return p.plantedPython(e, command, how), nil
	case plainPath.MatchString(p.reached):
		at = p.reached
	case e.quoted, e.program:
		return "", fmt.Errorf("the directory of scratch lanes, %s, has signs in its name that would have to be quoted here: name another by scratch in [ci]", filepath.Dir(p.reached))
	}
	args := `"$@"`
	if e.language == makeCode {
		args = `"$$@"`
	}
	switch {
	case e.program && e.quoted: // there can be no quotes within quotes
		return "", errors.New("the command stands in single quotes, and nothing can be written in its place there")
	case e.program && how == neutral:
		return fmt.Sprintf(`sh -c ': >>%s; %s' sh %s`, at, args, command), nil
	case e.program:
		return fmt.Sprintf(`sh -c '%s; : >>%s; %s' sh %s`, args, at, status, command), nil
	case how == neutral:
		return fmt.Sprintf("{ : >>%s; %s; }", at, command), nil
	case strings.HasPrefix(command, "exec "): // it would never come to what stands behind it
		return fmt.Sprintf("{ %s; : >>%s; %s; exit; }", strings.TrimPrefix(command, "exec "), at, status), nil
	case e.once:
		return fmt.Sprintf("if [ -e %s ]; then %s; else { %s; : >>%s; %s; }; fi", at, command, command, at, status), nil
	}
	return fmt.Sprintf("{ %s; : >>%s; %s; }", command, at, status), nil
}

func (p *prover) plantedPython(e edit, command string, how plant) string {
	if how == neutral {
		return fmt.Sprintf("(%s, open('%s', 'a').close())[0]", command, p.reached)
	}
	status, check := "false", ""
	if e.succeed {
		status = "true"
	}
	if e.raise {
		check = ", check=True"
	}
	return fmt.Sprintf("(%s, open('%s', 'a').close(), __import__('subprocess').run(['%s']%s))[-1]", command, p.reached, status, check)
}

// plainPath is a path that means the same in a shell with quotes and without.
var plainPath = regexp.MustCompile(`^[\w/.+,@%:-]+$`)

// apply makes the edit: in the gate's own command, or in a file of the scratch lane,
// whose path it returns.
func (p *prover) apply(g *config.Gate, e edit, how plant) (path string, err error) {
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
			c.Shell, err = p.replace(c.Shell, e, how)
			return "", err
		}
		c.Argv = slices.Clone(c.Argv)
		c.Argv[e.arg], err = p.replace(c.Argv[e.arg], e, how)
		return "", err
	}
	path = filepath.Join(p.sub, e.file)
	data, err := os.ReadFile(filepath.Join(p.scratch.Root, path))
	if err != nil {
		return "", fmt.Errorf("it is not in the scratch lane: does git ignore it? %w", err)
	}
	text, err := p.replace(string(data), e, how)
	if err != nil {
		return "", err
	}
	return path, p.scratch.WriteFile(path, []byte(text))
}

func (p *prover) replace(text string, e edit, how plant) (string, error) {
	if e.from < 0 || e.to > len(text) || e.from >= e.to {
		return "", errors.New("it is otherwise in the scratch lane: run it again when nobody writes there")
	}
	by, err := p.planted(e, text[e.from:e.to], how)
	if err != nil {
		return "", err
	}
	return text[:e.from] + by + text[e.to:], nil
}
