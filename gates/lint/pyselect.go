package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
		switch name {
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
	ini := pyConfig(dir)
	list := c.paths
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

// pySkips are the directories that pytest does not go into (norecursedirs).
func pySkips(path, name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".egg") || slices.Contains([]string{"_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"}, name) || exists(filepath.Join(path, "pyvenv.cfg"))
}

// pySettings are what pytest's configuration says of where tests are.
type pySettings struct{ paths, patterns []string }

func (p pySettings) isTest(name string) bool {
	return slices.ContainsFunc(p.patterns, func(glob string) bool {
		ok, _ := filepath.Match(glob, name)
		return ok
	})
}

var pySetting = regexp.MustCompile(`(?m)^(testpaths|python_files)[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]*)*)`)

// pyConfig reads the first configuration of pytest at or above a directory.
func pyConfig(dir string) (p pySettings) {
	p.patterns = []string{"test_*.py", "*_test.py"}
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range []string{"pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
			data, err := os.ReadFile(filepath.Join(at, name))
			if err != nil || len(data) > maxFile || !strings.Contains(string(data), "pytest") {
				continue
			}
			for _, m := range pySetting.FindAllStringSubmatch(string(data), -1) {
				words := strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune("[]\"', \t\n", r) })
				switch {
				case m[1] == "python_files" && len(words) > 0:
					p.patterns = words
				case m[1] == "testpaths":
					for _, w := range words {
						if rel, err := filepath.Rel(dir, filepath.Join(at, w)); err == nil && at == dir { // only where it is called there
							p.paths = append(p.paths, rel)
						}
					}
				}
			}
			return p
		}
		if at == filepath.Dir(at) || exists(filepath.Join(at, ".git")) {
			return p
		}
	}
}
