package reader

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pytestPlugin counts inside of pytest. --junit-xml would tell as much, and take
// the place of the user's own, which can be in addopts where nobody sees it; and
// below a plugin that runs tests again its sums are wrong.
//
//go:embed gpuci_pytest.py
var pytestPlugin []byte

// Names of the module, which must be nobody else's, and of what it writes.
const (
	pytestModule = "gpuci_pytest"
	pytestReport = "pytest.jsonl"
)

// withPlugin makes a command line load the plugin, if it starts pytest itself:
// what stands between us and it may not pass the environment on. report is what
// the plugin will write, "" where it is not loaded.
func withPlugin(c Command) (_ Command, report string, err error) {
	at := pytestArgs(c.Argv)
	if at < 0 || c.Scratch == "" || strings.ContainsRune(c.Scratch, os.PathListSeparator) {
		return c, "", nil
	}
	file := filepath.Join(c.Scratch, pytestModule+".py")
	if err := os.WriteFile(file, pytestPlugin, 0o644); err != nil {
		return c, "", fmt.Errorf("give pytest a plugin to count with: %w", err)
	}
	argv := append([]string{}, c.Argv[:at]...)
	c.Argv = append(append(argv, "-p", pytestModule), c.Argv[at:]...)
	path := c.Scratch
	if old := lookup(c.Env, "PYTHONPATH"); old != "" {
		path = old + string(os.PathListSeparator) + path // nothing of the gate's is hidden
	}
	c.Env = append(append([]string{}, c.Env...), "PYTHONPATH="+path)
	return c, filepath.Join(c.Scratch, pytestReport), nil
}

// pytestArgs is where the arguments of pytest begin, -1 if it is not pytest, or
// a Python that looks at no PYTHONPATH.
func pytestArgs(argv []string) int {
	if len(argv) == 0 {
		return -1
	}
	switch base := filepath.Base(argv[0]); {
	case base == "pytest", base == "py.test":
		return 1
	case (base == "uv" || base == "poetry") && len(argv) > 2 && argv[1] == "run":
		if at := pytestArgs(argv[2:]); at > 0 {
			return 2 + at
		}
		return -1
	case !strings.HasPrefix(base, "python"):
		return -1
	}
	return 1 + moduleArgs(argv[1:])
}

// moduleArgs is where the arguments of pytest begin in those of Python, -2 if
// it is none that Python runs as a module.
func moduleArgs(args []string) int {
	const none = -2
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-W" || arg == "-X":
			i++
		case strings.HasPrefix(arg, "-W"), strings.HasPrefix(arg, "-X"):
		case !strings.HasPrefix(arg, "-"), strings.HasPrefix(arg, "--"), strings.ContainsAny(arg, "IEc"):
			return none
		case strings.HasSuffix(arg, "m"):
			if i+1 < len(args) && args[i+1] == "pytest" {
				return i + 2
			}
			return none
		case strings.HasSuffix(arg, "mpytest"):
			return i + 1
		}
	}
	return none
}

// lookup finds a variable; of several the last one counts.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
