package build

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"gpuci/kernels/cache"
)

// read is what a compile has read, as far as it can be known.
type read struct {
	files   []input
	made    []derived
	changed string   // what changed meanwhile, or may have: this compile must not be kept
	owners  []string // the directories of files that make names, and the compiler's own
	blind   string   // what cannot be followed at all
	asm     string   // what an assembler reads, or may, and cannot be followed
}

// inputs looks at every file that a compile begun at that time depended on, some of
// which the options may name.
func (t *tree) inputs(deps []string, options *orders, begun time.Time) (read, error) {
	r := read{owners: []string{"."}}
	for i, dep := range deps {
		deps[i] = within(t.root, dep)
	}
	reached := map[string]stamp{}
	for _, dep := range deps {
		if err := t.input(&r, dep, reached, begun); err != nil {
			return r, err
		}
	}
	if err := t.twins(&r, reached, begun); err != nil {
		return r, err
	}
	spelt := map[identity]bool{}
	for _, s := range reached {
		spelt[identity{s.Inode, s.Device}] = true
	}
	var unspelt []string
	text := options.text()
	for i, dep := range deps {
		if i > 0 && !spelt[t.identify(dep)] || strings.Contains(text, path.Base(dep)) {
			unspelt = append(unspelt, dep)
		}
	}
	r.made = t.derive(unspelt, r.owners)
	if r.blind == "" {
		r.blind = t.asks(deps, options)
	}
	if r.asm == "" && slices.ContainsFunc(options.macros(), func(m macro) bool { return strings.Contains(m.body, "asm") }) {
		r.asm = "an option makes a macro of asm"
	}
	return r, nil
}

// input adds a file, and to reached what it mentions.
func (t *tree) input(r *read, dep string, reached map[string]stamp, begun time.Time) error {
	f, err := t.again(dep)
	if err != nil {
		return fmt.Errorf("look at a file that the compiler read: %w", err)
	}
	// What was seen before the compile, and is the same, did not change; of
	// another file the stamp must tell.
	if !f.at.Before(begun) && !f.Stamp.settled(begun) {
		r.changed = dep
	}
	v := t.vector(dep, f)
	if !v.at.Before(begun) && v.newest >= begun.Add(-settle).UnixNano() {
		r.changed = "what " + dep + " includes"
	}
	if own := path.Dir(dep); f.Scanned.Makes && !slices.Contains(r.owners, own) {
		r.owners = append(r.owners, own)
	}
	if f.Scanned.Blind != "" {
		r.blind = dep + ", " + f.Scanned.Blind
	}
	if a := f.Scanned.Asm; r.asm == "" && a.Reads != "" {
		r.asm = dep + ", " + a.Reads
	} else if r.asm == "" && a.Hides != "" && !t.trusts(dep) {
		r.asm = dep + ", " + a.Hides
	}
	r.files = append(r.files, input{f.Sum, v.tokens, dep})
	tokens := strings.Split(v.tokens, " ")
	i := 0
	for m := range decode(f.Scanned.Mentions) {
		for _, place := range t.places(m, path.Dir(dep), tokens[i]) {
			if _, ok := reached[place]; ok {
				continue
			}
			if info, err := os.Stat(t.absolute(place)); err == nil {
				reached[place] = stampOf(info)
			}
		}
		i++
	}
	return nil
}

// twins adds the files that were asked for and have the very content of one that
// was read: with #pragma once GCC takes two files of one content and one time in
// seconds for the same, and does not say that it read the second.
func (t *tree) twins(r *read, reached map[string]stamp, begun time.Time) error {
	named, sizes, sums := map[string]bool{}, map[int64]bool{}, map[cache.Sum]bool{}
	for _, in := range r.files {
		named[in.path], sums[in.sum] = true, true
		if f, err := t.file(in.path, true); err == nil {
			sizes[f.Stamp.Size] = true
		}
	}
	for _, place := range slices.Sorted(maps.Keys(reached)) {
		if named[place] || !sizes[reached[place].Size] {
			continue
		}
		f, err := t.again(place)
		if err != nil || !sums[f.Sum] {
			continue
		}
		if err := t.input(r, place, map[string]stamp{}, begun); err != nil {
			return err
		}
	}
	return nil
}

// identity tells one file from another, whatever it is called.
type identity struct{ inode, device uint64 }

func (t *tree) identify(name string) identity {
	info, err := os.Stat(t.absolute(name))
	if err != nil {
		return identity{}
	}
	s := stampOf(info)
	return identity{s.Inode, s.Device}
}

// derive gives the names by which files were found that no source spells: of
// -include, of the compiler's own, of macros. Such a file stands under a name below
// a directory of the search, the compiler's own or that of a file that makes names;
// every name that leads to it counts.
func (t *tree) derive(files, owners []string) []derived {
	var made []derived
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, file := range files {
		id := t.identify(file)
		parts := strings.Split(path.Clean(file), "/")
		for n := range parts {
			name := strings.Join(parts[n:], "/")
			for i, own := range append([]string{""}, owners...) {
				d := derived{mention: mention{name: name, quoted: i > 0}, own: own}
				d.token, _ = t.token(d.mention, own)
				if places := t.places(d.mention, own, d.token); name != "" && len(places) > 0 && t.identify(places[0]) == id {
					made = append(made, d)
				}
			}
		}
	}
	return made
}

// survey reads a source and what it leads to below the root, before it is
// compiled: what is seen before and after a compile needs no luck with stamps. A header
// that the compiler would wait at for ever is an error.
func (t *tree) survey(source string, seen map[string]bool) error {
	if seen[source] {
		return nil
	}
	seen[source] = true
	f, err := t.again(source)
	if err != nil {
		return nil // the compiler will say so
	}
	v := t.vector(source, f)
	tokens := strings.Split(v.tokens, " ")
	i := 0
	for m := range decode(f.Scanned.Mentions) {
		for _, place := range t.places(m, path.Dir(source), tokens[i]) {
			if info, err := os.Stat(t.absolute(place)); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
				return fmt.Errorf("%s, asked for in %s, is no regular file: the compiler would wait for it for ever", place, source)
			}
			if strings.HasPrefix(place, "/") {
				continue
			}
			if err := t.survey(place, seen); err != nil {
				return err
			}
		}
		i++
	}
	return nil
}

// entry is what is kept of the compile.
func (r read) entry(out cache.Sum, log string) entry {
	files := slices.Clone(r.files)
	// What changes is looked at first: files of the root before the system's.
	slices.SortStableFunc(files, func(a, b input) int {
		return boolean(strings.HasPrefix(a.path, "/")) - boolean(strings.HasPrefix(b.path, "/"))
	})
	return entry{out: out, log: log, files: files, made: r.made}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
