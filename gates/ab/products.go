package ab

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"gpuci/gates"
)

// apart says whether each arm runs what was built of it. A build that writes to one place
// for all lanes leaves there what was built last: every arm would run that, and be a tie.
func (s *session) apart() bool {
	for i, d := range s.sides {
		for _, o := range s.sides[:i] {
			if o.Name == d.Name {
				continue
			}
			if path := builtOver(o.outside, d.outside); path != "" {
				s.report.Exit = gates.Broken.ExitCode()
				s.report.ended(End{State: Failed, Why: fmt.Sprintf("arms %s and %s are built into one file, %s: all of them would run what was built last", o.Name, d.Name, path)},
					"let the gate build inside of its lane: a path that begins with / is one for all")
				return false
			}
		}
	}
	return true
}

// outsideOf are the products that lie in no directory of a scratch lane, by their real paths,
// with the hashes of their bytes.
func (d *side) outsideOf(v gates.Verdict) map[string]string {
	out := make(map[string]string)
	for _, p := range v.Bound.Products {
		path := p.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.root, path)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if rel, err := filepath.Rel(filepath.Dir(d.scratch.Root), path); err != nil || !filepath.IsLocal(rel) {
			out[path] = p.SHA256
		}
	}
	return out
}

// builtOver is a file that both have and not of the same bytes, "" where there is none.
func builtOver(a, b map[string]string) string {
	for _, path := range slices.Sorted(maps.Keys(a)) {
		if sum, both := b[path]; both && sum != a[path] {
			return path
		}
	}
	return ""
}

// otherProduct says that a run was of a file outside of its lane that is not what it was in
// the check: somebody else has built there meanwhile.
func otherProduct(d *side, v gates.Verdict) string {
	if path := builtOver(d.outside, d.outsideOf(v)); path != "" {
		return path + " is not what it was when the arm was checked"
	}
	return ""
}
