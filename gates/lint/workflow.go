package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// workflows looks for continue-on-error in steps of GitHub workflows that run a gate.
func workflows(r *Report, root string, list []config.Gate) {
	for _, ext := range []string{"yml", "yaml"} {
		files, _ := filepath.Glob(filepath.Join(root, ".github", "workflows", "*."+ext))
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil || len(data) > maxFile {
				continue
			}
			if rel, err := filepath.Rel(root, path); err == nil {
				workflow(r, rel, string(data), list)
			}
		}
	}
}

// workflow looks through one file, item by item of its lists.
func workflow(r *Report, path, text string, list []config.Gate) {
	if len(gatesIn(text, list)) == 0 {
		return // it runs none of them
	}
	lines := strings.Split(text, "\n")
	r.Read = append(r.Read, path)
	for i, line := range lines {
		code, _, _ := strings.Cut(line, "#")
		key, value, ok := strings.Cut(strings.TrimLeft(code, " -"), ":")
		if !ok {
			continue
		}
		item := itemAround(lines, i)
		gates := gatesIn(item, list)
		switch key = strings.TrimSpace(key); {
		case len(gates) == 0:
		case key == "continue-on-error" && strings.Trim(strings.TrimSpace(value), `"'`) == "true":
			f := Finding{Kind: Continue, Gates: gates, File: path, Line: i + 1, Text: clip(strings.TrimSpace(line)), Command: "gpuci gate " + gates[0], Certain: true}
			f.acceptAt(text, i+1)
			r.add(f)
		case key == "run":
			runs(r, path, text, i, gates, bashOf(item, text))
		}
	}
}

// bashOf says whether a step names bash as its shell, which is run with pipefail then
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax).
func bashOf(item, text string) bool {
	if m := shellKey.FindStringSubmatch(item); m != nil {
		return m[1] == "bash"
	}
	m := shellKey.FindStringSubmatch(text)
	return m != nil && strings.Contains(text, "defaults:") && m[1] == "bash"
}

var (
	shellKey   = regexp.MustCompile(`(?m)^[ \t-]*shell:[ \t]*["']?(\w+)`)
	expression = regexp.MustCompile(`\$\{\{.*?\}\}`)
	blockMark  = regexp.MustCompile(`^[|>][0-9+-]*$`)
)

// runs looks through the script of a step that runs gates.
func runs(r *Report, path, text string, at int, gates []string, bash bool) {
	lines := strings.SplitAfter(text, "\n")
	from := len(strings.Join(lines[:at], "")) + strings.Index(lines[at], "run:") + len("run:")
	value := strings.TrimSpace(text[from : from+strings.IndexByte(text[from:]+"\n", '\n')])
	to := from + strings.IndexByte(text[from:]+"\n", '\n')
	if blockMark.MatchString(value) {
		depth := indent(lines[at])
		from = min(to+1, len(text))
		for to = from; at+1 < len(lines) && (strings.TrimSpace(lines[at+1]) == "" || indent(lines[at+1]) > depth); at++ {
			to += len(lines[at+1])
		}
	} else if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		from += strings.IndexByte(text[from:], value[0]) + 1
		to = from + len(value) - 2
	}
	script := expression.ReplaceAllStringFunc(text[from:min(to, len(text))], func(x string) string { return strings.Repeat("x", len(x)) })
	if value != "" && value[0] == '>' { // its lines are one
		script = strings.ReplaceAll(script, "\n", " ")
	}
	step := &Report{}
	u := &unit{look: &look{report: step, gate: config.Gate{Name: gates[0]}, seen: make(map[string]bool)}, path: path, nowhere: true, text: script, shift: from, whole: text}
	if s, err := newShell(u); err == nil {
		s.only = "gpuci"
		s.e, s.p = true, bash
		s.list(s.file.Stmts, fate{used: true})
	}
	for _, f := range step.Findings {
		f.Gates, f.Certain, f.edits = gates, true, nil
		r.add(f)
	}
}

// itemAround are the lines of the innermost item of a list, or of the job, that a line
// is in.
func itemAround(lines []string, at int) string {
	depth := indent(lines[at])
	if strings.HasPrefix(strings.TrimSpace(lines[at]), "- ") {
		depth += 2
	}
	from := at
	for from > 0 && !(strings.HasPrefix(strings.TrimSpace(lines[from]), "- ") && indent(lines[from])+2 == depth) && (strings.TrimSpace(lines[from]) == "" || indent(lines[from]) >= depth) {
		from--
	}
	to := at + 1
	for to < len(lines) && (strings.TrimSpace(lines[to]) == "" || indent(lines[to]) >= depth) {
		to++
	}
	return strings.Join(lines[from:to], "\n")
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// gatesIn are the gates that a step runs.
func gatesIn(text string, list []config.Gate) (names []string) {
	if !strings.Contains(text, "gpuci gate") && !strings.Contains(text, "gpuci ci") {
		return nil
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"';&|()", r) })
	for _, g := range list {
		if slices.Contains(words, g.Name) || slices.Contains(words, "--all") || strings.Contains(text, "gpuci ci") {
			names = append(names, g.Name)
		}
	}
	return names
}
