package lint

import (
	"os"
	"path/filepath"
	"regexp"
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
				workflow(r, root, rel, string(data), list)
			}
		}
	}
}

// workflow looks through one file, item by item of its lists.
func workflow(r *Report, root, path, text string, list []config.Gate) {
	_, inside := scriptsIn(root, text)
	if len(gatesIn(text, inside, list)) == 0 {
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
		scripts, inside := scriptsIn(root, item)
		gates := gatesIn(item, inside, list)
		switch key = strings.TrimSpace(key); {
		case len(gates) == 0:
		case key == "continue-on-error" && strings.Trim(strings.TrimSpace(value), `"'`) == "true":
			f := Finding{Kind: Continue, Gates: gates, File: path, Line: i + 1, Text: clip(strings.TrimSpace(line)), Command: "gpuci gate " + gates[0], Certain: true}
			f.acceptAt(text, i+1)
			r.add(f)
		case key == "run":
			runs(r, path, text, i, step{gates, scripts, bashOf(item, lines, i)})
		}
	}
}

// bashOf says whether a step names bash as its shell, which is run with pipefail then
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax).
func bashOf(item string, lines []string, at int) bool {
	if m := shellKey.FindStringSubmatch(item); m != nil {
		return m[1] == "bash"
	}
	depth := indent(lines[at])
	for i := at; i >= 0; i-- { // the defaults of what it stands in: its job's, then the file's
		if text := strings.TrimSpace(lines[i]); text == "" || strings.HasPrefix(text, "#") || indent(lines[i]) >= depth {
			continue
		}
		if depth = indent(lines[i]); depth == 0 {
			break
		}
		if m := shellKey.FindStringSubmatch(defaultsIn(lines, i, depth)); m != nil {
			return m[1] == "bash"
		}
	}
	m := shellKey.FindStringSubmatch(defaultsIn(lines, -1, -1))
	return m != nil && m[1] == "bash"
}

// defaultsIn is the text of the key defaults of a mapping that begins behind a line, of
// which the keys are indented further than depth.
func defaultsIn(lines []string, at, depth int) string {
	inner, from := -1, -1
	for i := at + 1; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		in := indent(lines[i])
		if inner < 0 {
			inner = in
		}
		switch {
		case in <= depth:
			return joined(lines, from, i)
		case in <= inner && from >= 0:
			return joined(lines, from, i)
		case in == inner && strings.HasPrefix(text, "defaults:"):
			from = i
		}
	}
	return joined(lines, from, len(lines))
}

func joined(lines []string, from, to int) string {
	if from < 0 {
		return ""
	}
	return strings.Join(lines[from:to], "\n")
}

var (
	shellKey   = regexp.MustCompile(`(?m)^[ \t-]*shell:[ \t]*["']?(\w+)`)
	expression = regexp.MustCompile(`\$\{\{.*?\}\}`)
	blockMark  = regexp.MustCompile(`^[|>][0-9+-]*$`)
)

// step is a step of a job.
type step struct {
	gates   []string // that it runs
	scripts []string // that run them; never nil
	bash    bool     // pipefail is set
}

// runs looks through the script of a step that runs gates.
func runs(r *Report, path, text string, at int, in step) {
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
	found := &Report{}
	u := &unit{look: &look{report: found, gate: config.Gate{Name: in.gates[0]}, seen: make(map[string]bool)}, path: path, nowhere: true, text: script, shift: from, whole: text}
	if s, err := newShell(u); err == nil {
		s.only = in.scripts
		s.e, s.p = true, in.bash
		s.list(s.file.Stmts, fate{used: true})
	}
	for _, f := range found.Findings {
		f.Gates, f.Certain, f.edits = in.gates, true, nil
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
