package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// inPlace says whether a rule was written for what lies here: its outputs are named
// by where they are now, or only by how they are called there.
func inPlace(r Rule, dep, product string) bool {
	return slices.ContainsFunc(r.Outputs, func(out string) bool {
		return !filepath.IsAbs(out) || sameDir(filepath.Dir(out), filepath.Dir(dep)) || sameDir(filepath.Dir(out), filepath.Dir(product))
	})
}

func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// written is when a file was written, the zero time where it is not there.
func written(path string) time.Time {
	if info, err := os.Stat(path); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// add takes in the files that a dependency file names, as they are named and where
// their links lead.
func (g *gathering) add(dep string, sources []string, language string) {
	if language != "" && len(sources) > 0 {
		g.told[language] = true
	}
	at := written(dep)
	for _, path := range sources {
		names := g.namesOf(path)
		for _, name := range names {
			g.files[name] = true
			if list := g.dated[name]; !slices.Contains(list, at) {
				g.dated[name] = append(list, at)
			}
		}
	}
}

// namesOf are the names of a file: the given one, that without links among its
// directories, and where it leads if it is a link itself.
func (g *gathering) namesOf(path string) []string {
	if names, done := g.names[path]; done {
		return names
	}
	dir, base := filepath.Split(path)
	real, ok := g.real[dir]
	if !ok {
		real = dir
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			real = resolved
		}
		g.real[dir] = real
	}
	names := []string{path, filepath.Join(real, base)}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if leads, err := filepath.EvalSymlinks(path); err == nil {
			names = append(names, leads)
		}
	}
	slices.Sort(names)
	g.names[path] = slices.Compact(names)
	return g.names[path]
}
