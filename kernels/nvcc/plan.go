package nvcc

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// plan is the layout of a compiler, as its own `--dryrun` tells it.
type plan struct {
	here     string   // the directory of nvcc itself, behind every link and wrapper
	cicc     string   // the directory of cicc; "" where it is looked up on path
	device   string   // the directory of libdevice
	path     []string // where its tools are looked up
	includes []string // what its profile adds for headers
}

// parsePlan reads the lines `#$ NAME=value` that stand before the commands.
func parsePlan(said string) plan {
	var p plan
	for line := range strings.Lines(said) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "#$ "), "=")
		if !ok || strings.ContainsAny(name, ` "`) {
			continue
		}
		switch name {
		case "_HERE_":
			p.here = value
		case "CICC_PATH":
			p.cicc = value
		case "NVVMIR_LIBRARY_DIR":
			p.device = value
		case "PATH":
			p.path = filepath.SplitList(value)
		case "INCLUDES", "SYSTEM_INCLUDES":
			p.includes = append(p.includes, quoted(value)...)
		}
	}
	return p
}

// passing is a temporary file in a command, whose name is another in each call.
var passing = regexp.MustCompile(`[^" =,]*tmpxft_[0-9a-f]+_[0-9a-f]+-[0-9a-f]+_`)

// planSum is a sum of the commands that `--dryrun` tells. The paths for libraries and
// programs are left out: what is found there counts, and a shim's place does not.
func planSum(said string) string {
	h := sha256.New()
	for line := range strings.Lines(said) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "#$ "), "=")
		if name == "PATH" || name == "LD_LIBRARY_PATH" {
			continue
		}
		_, _ = h.Write([]byte(passing.ReplaceAllString(line, "tmp_"))) // it never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// quoted are the directories of `"-I/a" "-isystem" "/b"`.
func quoted(value string) []string {
	var dirs []string
	for i, part := range strings.Split(value, `"`) {
		if part = strings.TrimPrefix(part, "-I"); i%2 == 1 && part != "" && !strings.HasPrefix(part, "-") {
			dirs = append(dirs, part)
		}
	}
	return dirs
}

// needed are the tools that make a cubin. The others of [look.tools] are for fat
// binaries and objects alone, which not everybody wants.
var needed = []struct{ name, pack string }{{"cicc", "nvidia-nvvm"}, {"ptxas", "nvidia-cuda-nvcc"}}

// tools are the files behind the compiler, all of which decide what it makes.
func (l *look) tools(compiler string, p plan) ([]string, error) {
	if p.here == "" {
		return nil, errors.New("does not tell its directory in --dryrun")
	}
	dirs := append([]string{p.here}, p.path...)
	if p.cicc != "" {
		dirs = append([]string{p.cicc}, dirs...)
	}
	tools := []string{compiler}
	for _, n := range needed {
		path, ok := l.first(dirs, n.name)
		if !ok {
			return nil, fmt.Errorf("has no %s: it comes with %s", n.name, n.pack)
		}
		tools = append(tools, path)
	}
	for _, name := range []string{"nvcc", "nvcc.profile", "cudafe++", "fatbinary", "nvlink"} {
		if path, ok := l.first(dirs[:len(dirs)-len(p.path)], name); ok && path != compiler {
			tools = append(tools, path)
		}
	}
	if path, ok := l.first([]string{p.device}, "libdevice.10.bc"); ok {
		tools = append(tools, path)
	}
	return tools, nil
}

// first is the first file of that name in the directories.
func (l *look) first(dirs []string, name string) (string, bool) {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(l.real(path)); dir != "" && err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}
