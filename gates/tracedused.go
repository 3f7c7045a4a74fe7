package gates

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cudaUse is what a process has of CUDA: a file of this recording, the driver, our library, and
// the driver's file of a card's memory, which it opens when it is first used.
type cudaUse struct{ counted, driver, library, card bool }

// used looks for it. A process that is gone has nothing.
func (t *tracing) used(pid int) (u cudaUse) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return u
	}
	defer file.Close()
	here, library, nvml := t.mappedDir(), resolved(t.library), false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		_, name, _ := strings.Cut(lines.Text(), "/")
		dir, base := filepath.Split("/" + name)
		u.counted = u.counted || filepath.Clean(dir) == here
		u.driver = u.driver || strings.HasPrefix(base, "libcuda.so")
		u.library = u.library || "/"+name == library
		nvml = nvml || strings.HasPrefix(base, "libnvidia-ml.so")
	}
	if u.driver && !u.counted && !u.library && !nvml {
		u.card = opensCard(pid)
	}
	return u
}

// memoryFile is what cuInit opens, on an H200 once it has loaded our library. nvidia-smi has
// it open as well, and the driver mapped: of a process with NVML it says nothing.
const memoryFile = "nvidia-uvm"

func opensCard(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir) // of one that is gone, or may not be looked at, nothing is said
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && filepath.Base(to) == memoryFile {
			return true
		}
	}
	return false
}

// mappedDir is the recording's directory as the kernel writes it in maps.
func (t *tracing) mappedDir() string { return resolved(t.dir) }

func resolved(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	return strings.ReplaceAll(path, "\n", `\012`)
}
