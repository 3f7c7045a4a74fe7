package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// plainArchive ends the name of an archive that is not compressed.
const plainArchive = ".tar"

// bundleOut is the path of the archive, and the directory that it unpacks to.
func (a *app) bundleOut(cfg *config.Config, f bundleFlags) (out, dir string, err error) {
	if out = f.out; out == "" {
		out = strings.ReplaceAll(cfg.Workspace.Name, "/", "-") + ".tar.gz"
	}
	base := filepath.Base(out)
	for _, ending := range []string{".tar.gz", ".tgz", plainArchive} {
		if d, ok := strings.CutSuffix(base, ending); ok && strings.Trim(d, ".") != "" {
			dir = d
		}
	}
	if dir == "" {
		return "", "", coded{gates.ExitUsage, fmt.Sprintf("-o %s is no name of an archive", f.out), "let it end in .tar.gz: -o ../kda.tar.gz"}
	}
	if !filepath.IsAbs(out) {
		at, err := a.standing()
		if err != nil {
			return "", "", err
		}
		out = filepath.Join(at, out)
	}
	if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
		return "", "", coded{gates.ExitUsage, fmt.Sprintf("-o %s: there is no directory %s", f.out, filepath.Dir(out)), "make it first"}
	}
	if info, err := os.Stat(out); err == nil && !info.Mode().IsRegular() {
		return "", "", coded{gates.ExitUsage, fmt.Sprintf("%s is there and no file", out), "name another one by -o, or remove it"}
	}
	tried, err := unfinished(out) // before anything is built
	if err != nil {
		return "", "", coded{gates.ExitUsage, fmt.Sprintf("no archive can be written in %s: %v", filepath.Dir(out), err), "name another place by -o"}
	}
	return out, dir, errors.Join(tried.Close(), os.Remove(tried.Name()))
}
