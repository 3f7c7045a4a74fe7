package reader

import (
	"fmt"
	"regexp"
	"strings"
)

// In every line by which Python says that a module is not there, and a shell that
// a program is not.
const (
	noModule  = "No module named "
	noCommand = ": command not found"
)

var (
	// /usr/bin/python3: No module named pytest (runpy, of python -m)
	noRunnable = regexp.MustCompile(`^(\S*python\S*): No module named '?([\w.]+)'?$`)
	// bash: line 1: pytest: command not found
	noProgram = regexp.MustCompile(`^bash:(?: line \d+:)? (\S*pytest|\S*py\.test): command not found$`)
	// E   ModuleNotFoundError: No module named 'numpy' (a conftest.py), and without E in a traceback
	noImport = regexp.MustCompile(`^(?:E +)?ModuleNotFoundError: No module named '([\w.]+)'$`)
)

// missingModule says what a line of stderr tells that Python lacks, and how to
// install it; "" for any other line. What a module is called and what the package
// is that has it need not be the same: the hint is a beginning.
func missingModule(line []byte) string {
	if m := noProgram.FindSubmatch(line); m != nil {
		return fmt.Sprintf("%s is not installed, or not on PATH: python3 -m pip install pytest (in the environment that the gate uses)", m[1])
	}
	python, module := "python3", ""
	if m := noRunnable.FindSubmatch(line); m != nil {
		python, module = string(m[1]), string(m[2])
	} else if m := noImport.FindSubmatch(line); m != nil {
		module = string(m[1])
	}
	if module == "" || len(module) > 100 {
		return ""
	}
	if module == pytestModule {
		return "pytest was not given the plugin that gpuci counts with: what stands between clears PYTHONPATH; write the run as a shell string, and what pytest prints is counted"
	}
	top, _, _ := strings.Cut(module, ".")
	return fmt.Sprintf("the module %s is not installed for this Python: %s -m pip install %s (in the environment that the gate uses)", module, python, top)
}
