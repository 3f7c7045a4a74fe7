package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// notesAbout is what is about some gates or paths, of all that expires; all of it
// where none is named. A directory stands for what is below it.
func notesAbout(cfg *config.Config, l gates.NoteList, names []string) (gates.NoteList, error) {
	if len(names) == 0 {
		return l, nil
	}
	asked := make([]string, len(names))
	for i, name := range names {
		asked[i] = filepath.ToSlash(filepath.Clean(name))
		if err := noteSubject(cfg, l, asked[i]); err != nil {
			return l, err
		}
	}
	other := func(about string) bool {
		return !slices.ContainsFunc(asked, func(name string) bool { return within(name, about) })
	}
	l.Notes = slices.DeleteFunc(l.Notes, func(n gates.ListedNote) bool { return other(n.About) })
	l.Reds = slices.DeleteFunc(l.Reds, func(r gates.ListedRed) bool { return other(r.Gate) })
	bad := l.Bad[:0]
	for _, b := range l.Bad {
		if !other(b.About) {
			bad = append(bad, b)
		}
	}
	l.Bad = bad
	return l, nil
}

// within says whether a note about something is one about name.
func within(name, about string) bool {
	return about == name || name == "." || strings.HasPrefix(about, name+"/")
}

// noteSubject refuses a name that is no gate, no path, and nothing that a note is
// about.
func noteSubject(cfg *config.Config, l gates.NoteList, name string) error {
	if _, ok := cfg.Gate(name); ok {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(cfg.Root, name)); err == nil {
		return nil
	}
	names := gateNames(cfg)
	for _, n := range l.Notes {
		if within(name, n.About) {
			return nil
		}
		names = append(names, n.About)
	}
	for _, b := range l.Bad {
		if within(name, b.About) {
			return nil
		}
	}
	slices.Sort(names)
	return coded{gates.ExitNothing, fmt.Sprintf("there is no gate and no path %q", name), nearHint(name, slices.Compact(names), "gpuci notes shows what there is; a path is one from the directory of gpuci.toml")}
}
