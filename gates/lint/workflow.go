package lint

import (
	"os"
	"path/filepath"
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
	lines := strings.Split(text, "\n")
	r.Read = append(r.Read, path)
	for i, line := range lines {
		code, _, _ := strings.Cut(line, "#")
		key, value, ok := strings.Cut(strings.TrimLeft(code, " -"), ":")
		if !ok || strings.TrimSpace(key) != "continue-on-error" || strings.Trim(strings.TrimSpace(value), `"'`) != "true" {
			continue
		}
		gates := gatesIn(itemAround(lines, i), list)
		if len(gates) == 0 {
			continue
		}
		f := Finding{Kind: Continue, Gates: gates, File: path, Line: i + 1, Text: strings.TrimSpace(line), Command: "gpuci gate " + gates[0], Certain: true}
		f.accept(line)
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
	words := strings.Fields(text)
	for _, g := range list {
		if slices.Contains(words, g.Name) || slices.Contains(words, "--all") || strings.Contains(text, "gpuci ci") {
			names = append(names, g.Name)
		}
	}
	return names
}
