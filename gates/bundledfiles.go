package gates

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gpuci/gates/config"
	"gpuci/gates/reader"
)

// Needed is what the run of a gate opens of its workspace, as far as its text says:
// paths from the directory of gpuci.toml, with slashes, sorted.
type Needed struct {
	Files []string
	Dirs  []string // that it names or stands in, and of which nothing is among Files
}

// NotBundledError says why a gate cannot be run from a bundle.
type NotBundledError struct {
	Gate, Text, Next string
	Unbuilt          bool // it is for want of a file, which a build may make
}

func (e *NotBundledError) Error() string {
	return fmt.Sprintf("gate %s cannot be bundled: %s", e.Gate, e.Text)
}

// NeededBy reads off a gate's configuration what its run needs: the programs that its
// commands name, the files that their words name, also of scripts for a shell, gpuci-cuda
// beside a program of ours, the products, the fixtures that it uses, and what bundle
// says. It is to be asked after the build. A command that no bundle can bring along, of
// which every machine has one or has not, is a *NotBundledError.
func NeededBy(cfg *config.Config, g config.Gate) (Needed, error) {
	n := &needs{root: cfg.Root, dir: filepath.Join(cfg.Root, g.Dir), gate: g.Name, read: map[string]use{}}
	for _, c := range g.Run {
		n.command(c)
	}
	for _, pattern := range g.Products {
		n.globbed(filepath.Glob(filepath.Join(cfg.Root, pattern)))
	}
	for _, x := range cfg.Fixtures {
		if slices.Contains(x.UsedBy, g.Name) {
			for _, pattern := range x.Paths {
				n.globbed(reader.Linked(cfg.Root, pattern, n.into))
			}
		}
	}
	for _, pattern := range g.Bundle {
		n.pattern(pattern)
	}
	n.directory(n.dir)
	if n.err != nil {
		return Needed{}, n.err
	}
	return n.sum(), nil
}

// needs are the needs of a gate while they are collected.
type needs struct {
	root, dir, gate string
	files, dirs     []string         // from root
	read            map[string]use   // what files are known to be used as
	err             *NotBundledError // the first, of a missing file only where there is no other
}

func (n *needs) fail(text, next string) {
	if n.err == nil || n.err.Unbuilt {
		n.err = &NotBundledError{Gate: n.gate, Text: text, Next: next}
	}
}

// missing is fail for want of a file.
func (n *needs) missing(text, next string) {
	if n.err == nil {
		n.err = &NotBundledError{n.gate, text, next, true}
	}
}

// inside gives a path from root; "" for one that is not below it.
func (n *needs) inside(name string) string {
	rel, err := filepath.Rel(n.root, within(n.dir, name))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// globbed takes what a pattern has found.
func (n *needs) globbed(paths []string, err error) {
	if err != nil {
		n.fail(err.Error(), "name files that can be looked for")
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			n.file(p)
		}
	}
}

// file takes a file. One that no archive can hold as it is here is an error: what is
// left out in silence is missed only there.
func (n *needs) file(name string) {
	rel := n.inside(name)
	if rel == "" || slices.Contains(n.files, rel) {
		return
	}
	const packable = "let it be a file of the workspace, or name others in bundle = [\"…\"]"
	path := within(n.dir, name)
	switch info, err := os.Stat(path); {
	case err != nil:
		n.missing(rel+" is a link to what is not there, or cannot be read", packable)
	case !info.Mode().IsRegular():
		n.fail(rel+" is no file with content: "+info.Mode().Type().String(), packable)
	case !n.ours(path):
		n.fail(rel+" is a link that leads out of the workspace", packable)
	case n.plain(rel):
		n.files = append(n.files, rel)
	}
}

// plain says whether a path is one that a manifest can hold.
func (n *needs) plain(rel string) bool {
	if utf8.ValidString(rel) && !strings.Contains(rel, `\`) {
		return true
	}
	n.fail(fmt.Sprintf("its path %q has a name that an archive cannot hold everywhere", rel), "give it a name in UTF-8 without a backslash")
	return false
}

func (n *needs) directory(name string) {
	if rel := n.inside(name); rel != "" && !slices.Contains(n.dirs, rel) && n.plain(rel) {
		n.dirs = append(n.dirs, rel)
	}
}

// word takes what a word of a command names, if it names anything of the workspace:
// also behind the = of --data=DIR.
func (n *needs) word(word string) {
	for _, name := range []string{word, word[strings.IndexByte(word, '=')+1:]} {
		info, err := os.Stat(within(n.dir, name))
		switch {
		case name == "" || err != nil || n.inside(name) == "":
		case info.IsDir():
			n.directory(name)
		case info.Mode().IsRegular():
			n.program(name, mentioned)
		}
	}
}

// use is what a command does with a file: it may be a script that a shell reads, whatever
// its first line says.
type use int

const (
	mentioned use = iota + 1
	started
	sourced // by . and source, and by a shell that it is named to
)

// program takes a file, and where it is a script, what that needs. What is only named,
// and not run, may be a script of any kind.
func (n *needs) program(name string, as use) {
	n.file(name)
	path, rel := within(n.dir, name), n.inside(name)
	if !slices.Contains(n.files, rel) || n.read[rel] >= as {
		return
	}
	n.read[rel] = as
	if beside := filepath.Join(filepath.Dir(path), "gpuci-cuda"); filepath.Base(path) == "gpuci" {
		if _, err := os.Stat(beside); err == nil { // that it starts
			n.file(beside)
		}
	}
	n.script(path, as)
}

// sum closes the list: a directory of which something is taken is there anyway.
func (n *needs) sum() Needed {
	slices.Sort(n.files)
	slices.Sort(n.dirs)
	dirs := slices.DeleteFunc(n.dirs, func(d string) bool {
		return d == "." || slices.ContainsFunc(n.files, func(f string) bool { return strings.HasPrefix(f, path.Clean(d)+"/") })
	})
	return Needed{Files: n.files, Dirs: dirs}
}
