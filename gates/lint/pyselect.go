package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/lint/crates"
)

// pyChoice is what the words of pytest choose.
type pyChoice struct {
	paths, left []string // files and directories, and those that are left out
	nodes       []node   // file::Class::test
	without     []string // of --deselect
	names, mark string   // of -k and -m
	config      string   // of -c
	patterns    []string // of -o python_files
}

// node is a test, or a class of tests, that is named.
type node struct{ file, in string }

// pyValued are the options of pytest, and of its most usual plugins, that take a word.
const pyValued = ` -c --config-file --rootdir -p -o --override-ini -n --numprocesses --dist --maxfail --tb --junitxml --junit-xml --durations --durations-min --timeout
 --cov-report --cov-config --cov-fail-under -W --pythonwarnings --log-level --log-cli-level --log-file --log-file-level --log-format --basetemp --capture --color --confcutdir
 --import-mode --verbosity --show-capture --reruns --reruns-delay --count --benchmark-only --html --timeout-method -r --cache-show --lfnf --junit-prefix --random-order-seed `

// readPytest reads the words of pytest.
func readPytest(words []string) (c pyChoice, err error) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "" {
			return c, fmt.Errorf("a word of it is put together from what is not known before it runs")
		}
		if !strings.HasPrefix(w, "-") {
			if file, in, ok := strings.Cut(w, "::"); ok {
				in, _, _ = strings.Cut(in, "[")
				c.nodes = append(c.nodes, node{file, in})
			} else {
				c.paths = append(c.paths, w)
			}
			continue
		}
		name, value, given := strings.Cut(w, "=")
		if len(w) > 2 && w[1] != '-' && strings.ContainsRune("kmcpnoWr", rune(w[1])) {
			name, value, given = w[:2], w[2:], true
		}
		switch chosen := slices.Contains([]string{"-k", "-m", "--ignore", "--ignore-glob", "--deselect"}, name); {
		case !given && (chosen || slices.Contains(strings.Fields(pyValued), name)):
			if i++; i < len(words) {
				value = words[i]
			}
			if chosen && value == "" {
				return c, fmt.Errorf("it is not known what stands after %s", w)
			}
		case chosen && strings.Contains(value, crates.Hole):
			return c, fmt.Errorf("it is not known what stands after %s", name)
		}
		if name == "-o" || name == "--override-ini" {
			key, what, _ := strings.Cut(value, "=")
			switch what = strings.TrimSpace(what); key {
			case "python_files":
				c.patterns = strings.Fields(what)
			case "testpaths", "addopts", "python_classes", "python_functions":
				return c, fmt.Errorf("-o %s is not followed", key)
			}
		}
		switch name {
		case "-c", "--config-file":
			c.config = value
		case "-k":
			c.names = value
		case "-m":
			c.mark = value
		case "--ignore", "--ignore-glob":
			c.left = append(c.left, value)
		case "--deselect":
			c.without = append(c.without, value)
		case "--pyargs":
			return c, fmt.Errorf("--pyargs names modules, which are not looked for")
		}
	}
	return c, nil
}

// files are those that are meant, of a command in a directory, with the tests that are
// named in them; none are all.
func (c pyChoice) files(dir string, inside func(string) bool) (out map[string][]string, err error) {
	out = make(map[string][]string)
	for _, n := range c.nodes {
		at := filepath.Join(dir, n.file)
		if !exists(at) {
			return nil, fmt.Errorf("there is no %s", n.file)
		}
		out[at] = append(out[at], n.in)
	}
	ini := c.settings(dir)
	list := expandGlobs(dir, c.paths)
	if len(list)+len(c.nodes) == 0 {
		if list = ini.paths; len(list) == 0 {
			list = []string{"."}
		}
	}
	for _, p := range list {
		at := p
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, p)
		}
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return nil, fmt.Errorf("there is no %s", p)
		case !inside(at):
			return nil, fmt.Errorf("%s is outside of the directory of gpuci.toml", p)
		case !info.IsDir():
			out[at] = nil
		default:
			for _, f := range below(at, ini.isTest, pySkips) {
				if !c.leavesOut(dir, f) {
					out[f] = nil
				}
			}
		}
	}
	return out, nil
}

// settings are those of the configuration, as far as no option takes their place.
func (c pyChoice) settings(dir string) pySettings {
	ini := pyConfig(dir, c.config)
	if len(c.patterns) > 0 {
		ini.patterns = c.patterns
	}
	return ini
}

// expandGlobs puts the files in the place of what a shell expands.
func expandGlobs(dir string, list []string) (out []string) {
	for _, p := range list {
		at := p
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, p)
		}
		if found, _ := filepath.Glob(at); len(found) > 0 && !exists(at) {
			out = append(out, found...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

func (c pyChoice) leavesOut(dir, path string) bool {
	return slices.ContainsFunc(c.left, func(glob string) bool {
		if !filepath.IsAbs(glob) {
			glob = filepath.Join(dir, glob)
		}
		for at := path; len(at) >= len(dir) && at != "/"; at = filepath.Dir(at) {
			if ok, _ := filepath.Match(glob, at); ok {
				return true
			}
		}
		return false
	})
}
