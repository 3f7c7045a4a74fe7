package kernels

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/build"
	"gpuci/kernels/check"
	"gpuci/kernels/inspect"
)

// prebuilt reads the committed files. Patterns that find none, and files that cannot
// be read, are findings.
func (s Set) prebuilt(ctx context.Context, cache string) (all []Module, found []check.Finding) {
	files, missing, closed := s.expand(s.Prebuilt)
	for _, u := range closed {
		found = append(found, s.unread(u))
	}
	for _, m := range missing {
		found = append(found, check.Finding{
			Rule: "prebuilt-missing", Module: m, File: s.Rules.Prebuilt.File, Line: s.Rules.Prebuilt.Line,
			Expected: "committed device code at " + m, Found: "no such file", Harm: "what the host loads from there is not checked, and may not be there",
			Next: "commit it, or mend prebuilt",
		})
	}
	for _, f := range files {
		modules, err := inspect.File(ctx, filepath.Join(s.Build.Root, f), inspect.Options{})
		if ctx.Err() != nil {
			return all, found
		}
		if err != nil {
			found = append(found, s.unread(Unread{f, err}))
		}
		Known(cache, modules)
		for _, m := range modules {
			m.File = f
			all = append(all, Module{Module: m})
		}
	}
	return all, found
}

// expand gives the files of patterns, but for what the set itself makes, the patterns
// that find none, and those that lead to a directory that cannot be read.
func (s Set) expand(patterns []string) (files, missing []string, closed []Unread) {
	made := make(map[string]bool)
	if s.Compiles() {
		units, _ := build.Outputs(s.Build) // what is wrong with it, the build says
		for _, u := range units {
			made[u.Output] = true
		}
	}
	for _, p := range patterns {
		list, err := build.Expand(s.Build.Root, []string{p})
		var at *fs.PathError
		switch {
		case errors.As(err, &at) && !errors.Is(at, fs.ErrNotExist):
			closed = append(closed, Unread{p, err})
		case len(list) == 0:
			missing = append(missing, p)
		}
		for _, f := range list {
			if !made[filepath.Join(s.Build.Root, f)] && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, missing, closed
}

func (s Set) unmade(c Module) check.Finding {
	f := check.Finding{
		Rule: "prebuilt-source", Module: c.File, File: s.Rules.Prebuilt.File, Line: s.Rules.Prebuilt.Line, Note: true,
		Expected: "a source of the set that makes it", Found: "none is called " + stemOf(c.File),
		Harm: "whether it is older than its source is not checked", Next: "name its source in sources, or give it the name of it",
	}
	return f
}

func (s Set) unbuilt(c Module, b Built) check.Finding {
	var archs []string
	for _, m := range b.Modules {
		if what := m.Kind + " for " + m.Arch; m.Source == c.Source && !slices.Contains(archs, what) {
			archs = append(archs, what)
		}
	}
	f := check.Finding{
		Rule: "prebuilt-unbuilt", Module: c.File, File: s.Rules.Prebuilt.File, Line: s.Rules.Prebuilt.Line, Note: true,
		Expected: c.Kind + " for " + c.Arch + " of " + c.Source + " to hold it against", Found: strings.Join(archs, ", "),
		Harm: "only its entries and their parameters are checked, and not whether its code is older than its source", Next: "add its architecture to arch, and " + c.Kind + " to kinds",
	}
	if len(archs) == 0 {
		f.Found, f.Harm, f.Next = "nothing was built of it", "whether it is older than its source is not checked", "have it built: gpuci kernels build"
	}
	return f
}

// unread is the finding about a file that could not be read, or not whole.
func (s Set) unread(u Unread) check.Finding {
	f := check.Finding{
		Rule: "module-unread", Module: u.File, File: u.File, Expected: "device code", Found: u.Err.Error(),
		Harm: "nothing of it is checked", Next: "build it anew, or leave it out of the patterns",
	}
	switch {
	case u.missing():
		f.Rule, f.Found, f.Next = "module-missing", "no such file", "build the set: gpuci kernels build "+s.Name()
	case errors.Is(u.Err, inspect.ErrNone):
		f.Harm = "whoever loads a kernel from it gets an error"
	}
	return f
}
