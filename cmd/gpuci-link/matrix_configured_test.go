//go:build linux

package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// configuredThrough has the build's files made below the shims. Nothing in them
// may remember that, and the links are caught all the same; a bare build
// afterwards finds nothing to do.
func (p project) configuredThrough(t *testing.T) {
	t.Helper()
	needTools(t, p.tools...)
	one := newLock(t, p.base(), 1)
	l := &lanes{project: p}
	for range 2 {
		dir := lay(t, p.archive)
		l.dirs = append(l.dirs, dir)
		begin(t, dir, p.environ(one), p.configure...).wait(t)
	}
	l.rebuild(t, one).wantMost(t, 1)
	for _, dir := range l.dirs {
		wantNoTrace(t, dir, filepath.Base(one.shims), one.dir)
	}
	l.idle(t, lock{env: l.base()})
}

// logs are what the configuring only says and no build reads: what the compiler
// printed is in them, with the COMPILER_PATH it was given.
var logs = []string{"CMakeOutput.log", "CMakeError.log", "CMakeConfigureLog.yaml", "meson-log.txt"}

// wantNoTrace fails the test when a file below dir contains one of the texts.
func wantNoTrace(t *testing.T, dir string, texts ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || slices.Contains(logs, entry.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		for _, text := range texts {
			if at := strings.Index(string(data), text); at >= 0 {
				t.Errorf("%s remembers the shims: …%q…", path, data[max(0, at-80):min(len(data), at+80)])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d files in %s: the build's files are not there", files, dir)
	}
}

func TestMatrixConfiguredCMakeMake(t *testing.T) { cmakeMake().configuredThrough(t) }

func TestMatrixConfiguredCMakeNinja(t *testing.T) { cmakeNinja().configuredThrough(t) }

func TestMatrixConfiguredMeson(t *testing.T) { meson().configuredThrough(t) }
