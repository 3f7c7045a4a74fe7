package gates

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"gpuci/reaper/proc"
)

// PythonOf is the Python that a command runs in, "" for one of another kind: the program
// itself, or the one that a script such as torchrun names in its first line.
func PythonOf(argv []string, dir string, env []string) string {
	path, err := proc.LookPath(argv[0], dir, env)
	if err != nil {
		return "" // it cannot be started, and that is said then
	}
	if isPython(path) {
		return path
	}
	words := interpreter(path)
	if len(words) > 1 && filepath.Base(words[0]) == "env" {
		words = words[1:]
	}
	if len(words) == 0 || !isPython(words[0]) {
		return ""
	}
	if strings.Contains(words[0], "/") {
		return words[0]
	}
	path, _ = proc.LookPath(words[0], dir, env)
	return path
}

func isPython(path string) bool { return strings.HasPrefix(filepath.Base(path), "python") }

// interpreter are the words behind the #! of a script.
func interpreter(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n') // no kernel takes a longer one
	rest, is := strings.CutPrefix(string(line), "#!")
	if !is {
		return nil
	}
	return strings.Fields(rest)
}
