package build

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// guard are files that a compiler must leave alone and that it would be the likeliest to
// write, as they were before it ran. It is the second line, behind [orders.writes]: a list
// of options that write can lack one. Not all of git's files are in it, since people edit
// while a build runs: committed device code, what the options name, and what is called
// after a source in the directory where the compiler runs.
type guard map[string]stamp

// watch notes how those files are now.
func (b *builder) watch(ctx context.Context) guard {
	g := guard{}
	note := func(path string) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			s := stampOf(info)
			s.Changed = 0 // a chmod or another name for it is nobody's harm
			g[path] = s
		}
	}
	for _, p := range b.set.Keep {
		found, _ := b.set.glob(path.Clean(filepath.ToSlash(p))) // what is wrong with it, who reads them says
		for _, f := range found {
			note(b.set.absolute(filepath.FromSlash(f)))
		}
	}
	tracked, err := b.o.Tracked(ctx, b.set.Root, []string{b.set.Root})
	if err != nil {
		return g // the first that writes an output says so
	}
	sources, _ := b.set.expand()
	text := b.orders.text()
	for _, name := range tracked {
		if !slices.Contains(sources, name) && (mentioned(text, path.Base(name)) || calledAfter(name, sources)) {
			note(b.set.absolute(filepath.FromSlash(name)))
		}
	}
	return g
}

// mentioned is whether a name stands in a text, and is no part of a longer word there.
func mentioned(text, name string) bool {
	for rest := text; ; {
		before, after, ok := strings.Cut(rest, name)
		if !ok {
			return false
		}
		if strings.TrimRight(before, identifier) == before && strings.TrimLeft(after, identifier) == after {
			return true
		}
		rest = after
	}
}

// calledAfter is whether a file right in the root has a name that a compiler makes of a
// source's, as a.su of k/a.cu.
func calledAfter(name string, sources []string) bool {
	return !strings.Contains(name, "/") && slices.ContainsFunc(sources, func(s string) bool {
		stem := strings.TrimSuffix(path.Base(s), path.Ext(s))
		return strings.HasPrefix(name, stem+".") || strings.HasPrefix(name, stem+"-")
	})
}

// disturbed is an error if one of the files is not as it was. What the compiler reads may
// be edited meanwhile, which is another matter.
func (b *builder) disturbed() error {
	for name, was := range b.guard {
		info, err := os.Lstat(name)
		var is stamp
		if err == nil {
			is = stampOf(info)
			is.Changed = 0
		}
		if is == was || b.orders.seen[name] || b.tree.reads(within(b.set.Root, name)) {
			continue
		}
		return fmt.Errorf("%s changed while the compiler ran, and was not its to write: take out the option that has it written, and get it back (git checkout, if it is committed)", name)
	}
	return nil
}
