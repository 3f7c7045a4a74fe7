package config

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// needs reads what a gate needs of the machine. Only the spelling is looked
// at: what the machine has is for the one who asks it.
func (f *fields) needs(g *Gate) {
	e, items := f.texts("needs", `["gpu"]`)
	for _, item := range items {
		if !isNeed(item.text) {
			f.add(item.span, `write "gpu", "gpu:2", "vram>=40GiB" or "sm>=90"`, "%q in %s has no such need: %s", e.key, f.label, quoted(item.text))
			continue
		}
		g.Needs = append(g.Needs, item.text)
	}
}

func isNeed(s string) bool {
	if s == "gpu" {
		return true
	}
	if n, ok := strings.CutPrefix(s, "gpu:"); ok {
		return isCount(n)
	}
	if n, ok := strings.CutPrefix(s, "sm>="); ok {
		return isCount(n)
	}
	if size, ok := strings.CutPrefix(s, "vram>="); ok {
		n, err := ParseSize(size)
		return err == nil && n > 0
	}
	return false
}

// isCount says whether s is a number from 1, in digits alone.
func isCount(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

const noReader = "none"

// readers are the names there are; filesReader is followed by a glob.
func readers() []string {
	return []string{"libtest", "gotest", "pytest", "ctest", filesReader + "GLOB", countersReader, noReader}
}

// filesReader counts in files that the run writes; countersReader reads numbers
// and counts no tests.
const (
	filesReader    = "junit:"
	countersReader = "counters"
)

// Counts says whether a reader counts tests.
func Counts(reader string) bool { return reader != noReader && reader != countersReader }

// reader reads how tests are counted. There is no default: none would let a
// gate be green that ran nothing.
func (f *fields) reader(g *Gate) {
	ok := f.need("reader", fmt.Sprintf("%q", guessReader(g.Run)))
	if e := f.text("reader", `"libtest"`, &g.Reader); ok && e != nil {
		ok = f.knownReader(e)
	}
	if g.MinTests = 1; !Counts(g.Reader) {
		g.MinTests = 0
	}
	f.minTests(g, ok)
}

func (f *fields) knownReader(e *entry) bool {
	glob, files := strings.CutPrefix(e.value.text, filesReader)
	switch {
	case files:
		return f.glob(e, glob)
	case slices.Contains(readers(), e.value.text):
		return true
	}
	// "none" is never suggested: taken on trust it would count nothing.
	counting := slices.DeleteFunc(readers(), func(r string) bool { return !Counts(r) })
	f.bad(e, meant(e.value.text, counting, "write one of "+list(readers())), "is no reader: %s", quoted(e.value.text))
	return false
}

// glob says whether the files of a reader stay in the workspace.
func (f *fields) glob(e *entry, glob string) bool {
	const example = `write reader = "junit:build/**/*.xml", from the directory the commands run in`
	if glob == "" || !filepath.IsLocal(glob) {
		f.bad(e, example, "must name files inside the workspace, not %s", quoted(glob))
		return false
	}
	if _, err := path.Match(glob, ""); err != nil {
		f.bad(e, example, "is no glob: %s", quoted(glob))
		return false
	}
	return true
}

// minTests reads how many tests must have run. Where the reader counts, none
// is never enough; where it does not, nothing can be asked for.
func (f *fields) minTests(g *Gate, readerKnown bool) {
	least := 0
	if readerKnown && Counts(g.Reader) {
		least = 1
	}
	e := f.whole("min-tests", least, 1<<30, &g.MinTests)
	if e != nil && !Counts(g.Reader) && g.MinTests > 0 {
		f.bad(e, "write "+`reader = "libtest" or "gotest", or leave min-tests out`, "cannot be %d with reader %q, which counts no tests", g.MinTests, g.Reader)
	}
}

// guessReader reads the reader off the command, for a hint.
func guessReader(run []Command) string {
	for _, c := range run {
		words := c.Argv
		if c.Shell != "" {
			words = strings.Fields(c.Shell)
		}
		for i, w := range words {
			isTest := slices.Contains(words[i:], "test")
			switch {
			case w == "cargo" && isTest:
				return "libtest"
			case w == "go" && isTest:
				return "gotest"
			}
		}
	}
	return noReader
}
